import { LoginThrottle } from './login-throttle';

const MINUTE = 60_000;
const HERE = '198.51.100.1';

describe('LoginThrottle', () => {
  const waitOf = (throttle: LoginThrottle, address: string, email: string, now: number): number => {
    try {
      throttle.attempt(address, email, now);
      return 0;
    } catch (error) {
      const { options } = error as { options: { headers: Record<string, string> } };
      return Number(options.headers['retry-after']);
    }
  };

  it('doubles the wait with each wrong password for one user from one network, up to five minutes', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 6; i += 1) throttle.attempt(HERE, 'u', 0);
    const waits: number[] = [];
    let now = 0;
    for (let i = 0; i < 12; i += 1) {
      const wait = waitOf(throttle, HERE, 'u', now);
      waits.push(wait);
      now += wait * 1_000;
      throttle.attempt(HERE, 'u', now);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('admits the user from another network, and other users from the same one, during the wait', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 6; i += 1) throttle.attempt(HERE, 'owner', 0);
    expect(waitOf(throttle, HERE, 'owner', 0)).toBe(1);
    expect(waitOf(throttle, '198.51.100.2', 'owner', 0)).toBe(0);
    expect(waitOf(throttle, HERE, 'other', 0)).toBe(0);
  });

  it('never refuses a user because of failures from other networks, however many there are', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 5_000; i += 1)
      throttle.attempt(`10.0.${String(i >> 8)}.${String(i & 255)}`, 'owner', 0);
    expect(waitOf(throttle, HERE, 'owner', 0)).toBe(0);
  });

  it('refuses a network with many failures, except for users who have logged in from it', () => {
    const throttle = new LoginThrottle();
    throttle.attempt(HERE, 'regular', 0);
    throttle.succeeded(HERE, 'regular');
    for (let i = 0; i < 100; i += 1) throttle.attempt(HERE, `u${String(i)}`, 0);
    expect(waitOf(throttle, HERE, 'stranger', 0)).toBe(300);
    expect(waitOf(throttle, HERE, 'regular', 0)).toBe(0);
    expect(waitOf(throttle, '198.51.100.2', 'stranger', 0)).toBe(0);
    expect(waitOf(throttle, HERE, 'stranger', 5 * MINUTE)).toBe(0);
  });

  it('ends all waits when the clock was set back', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 6; i += 1) throttle.attempt(HERE, 'u', 60 * MINUTE);
    for (let i = 0; i < 94; i += 1) throttle.attempt(HERE, `u${String(i)}`, 60 * MINUTE);
    expect(waitOf(throttle, HERE, 'u', 0)).toBe(0);
    expect(waitOf(throttle, HERE, 'stranger', 0)).toBe(0);
  });

  it('counts all addresses of an IPv6 network as one', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 6; i += 1) throttle.attempt(`2001:db8::${String(i)}`, 'u', 0);
    expect(waitOf(throttle, '2001:db8::ffff', 'u', 0)).toBe(1);
    expect(waitOf(throttle, '2001:db8:0:1::1', 'u', 0)).toBe(0);
  });

  it('does not count successful logins as failures', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 1_000; i += 1) {
      throttle.attempt(HERE, 'u', 0);
      throttle.succeeded(HERE, 'u');
    }
    expect(waitOf(throttle, HERE, 'v', 0)).toBe(0);
  });
});
