import { GatewayError } from '@gw/kernel';
import { RequestThrottle } from './request-throttle';

const START = Date.UTC(2026, 4, 3);

describe('RequestThrottle', () => {
  const refusal = (throttle: RequestThrottle, credential: string, now: number): GatewayError | null => {
    try {
      throttle.admit(credential, now);
      return null;
    } catch (error) {
      if (error instanceof GatewayError) return error;
      throw error;
    }
  };

  it('admits requests up to the limit, refuses the next one with retry-after, and admits again a minute later', () => {
    const throttle = new RequestThrottle(3, 'credential');
    for (let i = 0; i < 3; i += 1) expect(refusal(throttle, 'a', START + i)).toBeNull();
    const refused = refusal(throttle, 'a', START + 20_000);
    expect(refused).toMatchObject({ type: 'rate_limited', status: 429, code: 'AB06' });
    expect(refused?.options.headers).toMatchObject({ 'retry-after': '40' });
    expect(refused?.options.extra).toMatchObject({ limit: { limit: 3, used: 3 } });
    expect(refusal(throttle, 'a', START + 60_000)).toBeNull();
  });

  it('starts a new minute when the clock was set back', () => {
    const throttle = new RequestThrottle(1, 'credential');
    expect(refusal(throttle, 'a', START)).toBeNull();
    expect(refusal(throttle, 'a', START - 3_600_000)).toBeNull();
    expect(refusal(throttle, 'a', START - 3_600_000)).not.toBeNull();
  });

  it('counts each credential separately', () => {
    const throttle = new RequestThrottle(1, 'credential');
    expect(refusal(throttle, 'a', START)).toBeNull();
    expect(refusal(throttle, 'b', START)).toBeNull();
    expect(refusal(throttle, 'a', START)).not.toBeNull();
  });

  it('reports the number of requests left in the minute', () => {
    const throttle = new RequestThrottle(2, 'user');
    expect(throttle.admit('a', START)).toBe('limit=2, remaining=1, reset=60');
    expect(throttle.admit('a', START + 20_500)).toBe('limit=2, remaining=0, reset=40');
    const refused = refusal(throttle, 'a', START + 21_000);
    expect(refused?.options.headers).toMatchObject({ ratelimit: 'limit=2, remaining=0, reset=39' });
    expect(refused?.options.extra).toMatchObject({ limit: { scope: 'user' } });
  });

  it('sets no limit when configured with 0', () => {
    const throttle = new RequestThrottle(0, 'credential');
    for (let i = 0; i < 1_000; i += 1) expect(refusal(throttle, 'a', START)).toBeNull();
  });
});
