import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const SCRIPT = resolve(__dirname, '../../../tools/guards.cjs');

it('tools/guards.cjs finds each guard that `npm run test:guards` removes, and the spec that must fail', () => {
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, '--check'], { encoding: 'utf8' });
  expect(stdout.trim().split('\n').filter(Boolean)).toEqual([]);
  expect(status).toBe(0);
});
