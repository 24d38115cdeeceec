import { GatewayError } from '@gw/kernel';
import { setImmediate } from 'node:timers/promises';
import { hashPassword } from './passwords';
import { PasswordChecks } from './password-checks';

const HERE = '198.51.100.1';

const waitOf = (error: unknown): string | undefined =>
  error instanceof GatewayError ? error.options.headers?.['retry-after'] : undefined;

describe('PasswordChecks', () => {
  it('count no attempt as failed whose password was not checked, because the network had too many', async () => {
    const checks = new PasswordChecks();
    const hash = await hashPassword('the right password');
    const logIn = (email: string): Promise<string | null> =>
      checks.matching(HERE, email, [hash], 'the right password');
    const waits: Promise<string | null | undefined>[] = [];
    for (let at = 0; at < 120; at += 1) {
      waits.push(logIn(`u${String(at)}@example.org`).then(() => null, waitOf));
      await setImmediate();
    }
    // A network with 100 failed logins would wait for five minutes.
    expect(new Set(await Promise.all(waits))).toEqual(new Set([null, '1']));
  });
});
