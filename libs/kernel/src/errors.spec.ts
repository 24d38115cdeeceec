import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { ERRORS, GatewayError } from './errors';

describe('ERRORS', () => {
  it('[ERR-12] docs/errors.md lists every type with its code, status and meaning', () => {
    const script = resolve(__dirname, '../../../tools/errors-doc.cjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('gives every type an error status and a family', () => {
    for (const [type, { status, code, message }] of Object.entries(ERRORS)) {
      expect([type, status >= 400 && status < 600, /^AB0[1-9]$/.test(code), message.endsWith('.')]).toEqual([
        type,
        true,
        true,
        true,
      ]);
    }
  });
});

describe('GatewayError', () => {
  it('keeps private facts and the cause out of the body', () => {
    const cause = new Error('hunter2');
    const error = new GatewayError('internal_error', { detail: { secret: 'hunter2' }, cause });
    expect(JSON.stringify(error.toBody('1'))).not.toContain('hunter2');
  });
});
