import { LoginThrottle } from './login-throttle';

const MINUTE = 60_000;

describe('the login throttle', () => {
  const attempts = (
    throttle: LoginThrottle,
    count: number,
    address: string,
    email: string,
    now = 0,
  ): void => {
    for (let i = 0; i < count; i += 1) throttle.attempt(address, email, now);
  };

  it('refuses the eleventh failure of one user from one address for five minutes', () => {
    const throttle = new LoginThrottle();
    attempts(throttle, 10, 'a', 'u');
    expect(() => throttle.attempt('a', 'u', 4 * MINUTE)).toThrow(
      expect.objectContaining({ type: 'rate_limited', status: 429 }) as Error,
    );
    throttle.attempt('b', 'u', 0);
    throttle.attempt('a', 'v', 0);
    throttle.attempt('a', 'u', 5 * MINUTE);
  });

  it('says how long to wait', () => {
    const throttle = new LoginThrottle();
    attempts(throttle, 10, 'a', 'u');
    try {
      throttle.attempt('a', 'u', 4.5 * MINUTE);
      throw new Error('admitted');
    } catch (error) {
      expect(error).toMatchObject({ options: { headers: { 'retry-after': '30' } } });
    }
  });

  it('refuses one address that tries many users, and one user tried from many addresses', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 50; i += 1) throttle.attempt('a', `u${String(i)}`, 0);
    expect(() => throttle.attempt('a', 'fresh', 0)).toThrow();
    for (let i = 0; i < 100; i += 1) throttle.attempt(`a${String(i)}`, 'target', 0);
    expect(() => throttle.attempt('another', 'target', 0)).toThrow();
  });

  it('does not count logins that succeed', () => {
    const throttle = new LoginThrottle();
    for (let i = 0; i < 100; i += 1) {
      throttle.attempt('a', 'u', 0);
      throttle.succeeded('a', 'u');
    }
  });
});
