import { NO_REPLY, RedisGuard } from './redis-guard';

const never = (): Promise<string> => new Promise(() => undefined);

describe('RedisGuard', () => {
  it('waits no longer than its bound, then does not use Redis during its cool-down', async () => {
    let now = 0;
    const guard = new RedisGuard({ timeoutMs: 20, coolDownMs: 1_000, now: () => now });
    expect(await guard.ask(never)).toBe(NO_REPLY);
    let requested = 0;
    const ask = (): Promise<string> => {
      requested += 1;
      return Promise.resolve('x');
    };
    now = 999;
    expect(await guard.ask(ask)).toBe(NO_REPLY);
    expect(requested).toBe(0);
    now = 1_000;
    expect(await guard.ask(ask)).toBe('x');
  });

  it('treats an error as no reply', async () => {
    const guard = new RedisGuard();
    expect(await guard.ask(() => Promise.reject(new Error('away')))).toBe(NO_REPLY);
  });
});
