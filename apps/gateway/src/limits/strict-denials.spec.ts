import { rateBucket, type LimitDenial } from '@gw/limits';
import { limitDenied as agentDenied } from '../agents/denials';
import { limitDenied as toolDenied } from '../mcp/denials';

const OWNER = { tenant: 'org', scope: 'policy', id: 'p', group: 'default' } as const;
const denial = (retryAfterMs: number): LimitDenial => ({
  admitted: false,
  bucket: rateBucket(OWNER, { type: 'tokens', unit: 'rpm', value: 9, enforcement: 'strict' }),
  reason: retryAfterMs === Infinity ? 'unpriced' : 'limit',
  ...{ used: 0, reserved: 0, resetAtMs: null, retryAfterMs },
});

describe('denial of a call by a strict limit of tokens', () => {
  it('has no time to retry after when the usage of the call is unknown, and the time otherwise', () => {
    expect(toolDenied(denial(Infinity)).reason).toMatchObject({ retryAfterMs: null });
    expect(agentDenied(denial(Infinity)).retryAfterMs).toBeNull();
    expect(toolDenied(denial(12.5)).reason).toMatchObject({ retryAfterMs: 13 });
    expect(agentDenied(denial(12.5)).retryAfterMs).toBe(13);
  });
});
