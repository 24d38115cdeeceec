import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

describe('docs/log-fields.md', () => {
  it('lists every column of the request log as it is declared', () => {
    const script = resolve(__dirname, '../../../../tools/log-fields-doc.cjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});
