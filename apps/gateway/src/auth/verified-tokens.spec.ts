import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { VerifiedTokens } from './verified-tokens';

const OURS = { tenant: { workspaceId: 'ours', organisationId: 'one' }, ttlMs: 300_000 };
const THEIRS = { tenant: { workspaceId: 'theirs', organisationId: 'two' }, ttlMs: 300_000 };
const token = (): string => `eyJ${randomBytes(9_000).toString('base64url')}`;

describe('VerifiedTokens', () => {
  it('limits the bytes of all tokens, and evicts only tokens of the workspace that fills the memory', () => {
    const tokens = new VerifiedTokens<number>({ bytesMax: 1_000_000 });
    const theirs = token();
    tokens.set(theirs, 0, THEIRS);
    const ours = Array.from({ length: 200 }, token);
    ours.forEach((each, index) => {
      tokens.set(each, index, OURS);
    });
    expect(tokens.bytes).toBeLessThanOrEqual(1_000_000);
    expect(tokens.get(theirs)).toBe(0);
    expect(tokens.get(ours.at(-1) ?? '')).toBe(199);
    const kept = ours.filter((each) => tokens.get(each) !== undefined).length;
    // Each takes about 50 kB, and one workspace gets half of what is there.
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(20);
  });

  it('forgets a token after its expiry, and on request', () => {
    let now = 0;
    const tokens = new VerifiedTokens<string>({ now: () => now });
    tokens.set('a', 'A', OURS);
    tokens.set('b', 'B', OURS);
    tokens.delete('b');
    expect([tokens.get('a'), tokens.get('b')]).toEqual(['A', undefined]);
    now = 300_000;
    expect(tokens.get('a')).toBeUndefined();
    expect(tokens.bytes).toBe(0);
  });

  it('tells tokens apart that differ in one character', () => {
    const tokens = new VerifiedTokens<string>();
    tokens.set(`${'a'.repeat(16_000)}b`, 'B', OURS);
    expect(tokens.get(`${'a'.repeat(16_000)}c`)).toBeUndefined();
  });

  it('does not store the tokens themselves', () => {
    const tokens = new VerifiedTokens<string>();
    const one = token();
    tokens.set(one, 'caller', OURS);
    const shown = inspect(tokens, { depth: Infinity, maxStringLength: null, maxArrayLength: null });
    expect(shown).toContain('caller');
    expect(shown).not.toContain(one.slice(0, 100));
  });
});
