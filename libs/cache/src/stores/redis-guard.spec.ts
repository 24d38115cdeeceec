import { NO_REPLY, RedisGuard } from './redis-guard';

const never = (): Promise<string> => new Promise(() => undefined);

describe('RedisGuard', () => {
  it('resolves to NO_REPLY after timeoutMs, and then runs no command during its cool-down', async () => {
    let now = 0;
    const guard = new RedisGuard({ timeoutMs: 20, coolDownMs: 1_000, now: () => now });
    expect(await guard.run(never)).toBe(NO_REPLY);
    let requested = 0;
    const command = (): Promise<string> => {
      requested += 1;
      return Promise.resolve('x');
    };
    now = 999;
    expect(await guard.run(command)).toBe(NO_REPLY);
    expect(requested).toBe(0);
    now = 1_000;
    expect(await guard.run(command)).toBe('x');
  });

  it('resolves to NO_REPLY when the command rejects', async () => {
    const guard = new RedisGuard();
    expect(await guard.run(() => Promise.reject(new Error('away')))).toBe(NO_REPLY);
  });
});
