/** @jest-environment node */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

describe('Generated data of the console', () => {
  it('is in step with the document of the admin API', () => {
    const script = resolve(__dirname, '../../../../tools/console-data.cjs');
    const { stderr, status } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
