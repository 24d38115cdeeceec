/** @jest-environment node */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

describe('generated data of the console', () => {
  it('matches the OpenAPI document of the admin API', () => {
    const script = resolve(__dirname, '../../../../tools/console-data.cjs');
    const { stderr, status } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
