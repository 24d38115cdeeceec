import {
  rsaKeyPair,
  signedToken,
  TOKEN_AUDIENCE,
  TOKEN_ISSUER,
  trustOf,
  encodedPart,
  signatureOf,
} from '@gw/testing';
import type { TrustRule } from '@gw/contracts';
import { issuerFault, KeySets, readToken, TokenFault, verifyAny, type TokenCheck } from './index';

const key = rsaKeyPair('k1');
const NOW = 1_770_000_000;
const GOOD = { iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE, sub: 'u1', iat: NOW, exp: NOW + 300 };
const equals = (claim: string, value: string) => ({ claim, op: 'equals', value }) as const;

describe('verifyAny', () => {
  const fetched: string[] = [];
  const sets = new KeySets({
    fetch: (url) => {
      fetched.push(url);
      return Promise.reject(new Error('There is no network in this test.'));
    },
    warn: () => undefined,
  });
  beforeEach(() => fetched.splice(0));

  const verify = (rules: readonly TrustRule[], token: string): ReturnType<typeof verifyAny> =>
    verifyAny(rules, readToken(token), { sets, now: NOW });
  const inline = (more: Partial<TrustRule> = {}): TrustRule => trustOf({ keys: [key.jwk], ...more });
  const faultOf = (rules: readonly TrustRule[], claims: object): Promise<TokenCheck | null> =>
    verify(rules, signedToken(key, { ...GOOD, ...claims })).then(
      () => null,
      (error: unknown) => {
        if (error instanceof TokenFault) return error.check;
        throw error;
      },
    );
  const many = (count: number, more: (at: number) => Partial<TrustRule>): TrustRule[] =>
    Array.from({ length: count }, (_, at) =>
      trustOf({
        organisationId: `organisation-${String(at)}-of-many`,
        jwksUrls: [`https://keys.example/${String(at)}`],
        ...more(at),
      }),
    );

  it('reads keys only for trusts whose audience, organisation and conditions the token meets', async () => {
    const rules = many(1_000, (at) => ({ conditions: [equals('/repository_id', String(at))] }));
    const junk = (claims: object): string => `${signedToken(key, { ...GOOD, ...claims }).slice(0, -20)}AAAA`;
    await expect(verify(rules, junk({ repository_id: 'none' }))).rejects.toThrow(TokenFault);
    await expect(verify(rules, junk({ aud: 'another', repository_id: '7' }))).rejects.toThrow(TokenFault);
    await expect(verify(rules, junk({ gw_oid: 'another', repository_id: '7' }))).rejects.toThrow(TokenFault);
    expect(fetched).toEqual([]);
    await expect(verify(rules, junk({ repository_id: '7' }))).rejects.toThrow(/No key set/);
    expect(fetched).toEqual(['https://keys.example/7']);
  });

  it('reads no keys when trusts of more than eight organisations match the token', async () => {
    expect(
      await faultOf(
        many(9, () => ({})),
        {},
      ),
    ).toBe('organisation');
    expect(fetched).toEqual([]);
  });

  it('assigns a token to the organisation whose id its audience contains, even when another organisation copies the trust', async () => {
    const [ours, theirs] = ['0a000000-0000-4000-8000-000000000001', '0a000000-0000-4000-8000-000000000002'];
    const aud = `https://gateway.example.org/${ours}`;
    const rules = [theirs, ours].map((organisationId) => inline({ organisationId, audiences: [aud] }));
    const token = signedToken(key, { ...GOOD, aud });
    expect((await verify(rules, token)).rule.organisationId).toBe(ours);
    expect(await faultOf(rules.slice(0, 1), { aud })).toBeNull();
    const plain = [theirs, ours].map((organisationId) => inline({ organisationId }));
    expect(await faultOf(plain, {})).toBe('organisation');
  });

  it('refuses an Entra token that acts for a user unless the trust has a condition on scp', async () => {
    const issuer = 'https://login.microsoftonline.com/t1/v2.0';
    const conditions = [equals('/tid', 't1'), equals('/oid', 'o1')];
    const claims = { iss: issuer, tid: 't1', oid: 'o1' };
    expect(await faultOf([inline({ issuer, conditions })], claims)).toBeNull();
    const delegated = { ...claims, scp: 'access_as_user' };
    expect(await faultOf([inline({ issuer, conditions })], delegated)).toBe('conditions');
    const allowed = [...conditions, equals('/scp', 'access_as_user')];
    expect(await faultOf([inline({ issuer, conditions: allowed })], delegated)).toBeNull();
    expect(await faultOf([inline({ preset: 'azure' })], { scp: '' })).toBe('conditions');
    expect(await faultOf([inline()], { scp: 'anything' })).toBeNull();
  });

  it.each([
    ['https://login.microsoftonline.com/t1/v2.0', ['/tid'], '/oid is missing'],
    ['https://login.microsoftonline.com/t1/v2.0', ['/oid'], '/tid is missing'],
    ['https://sts.windows.net/t1/', ['/tid', '/appid'], null],
    ['https://login.microsoftonline.com/t1/v2.0', ['/tid', '/azp'], null],
    ['https://agent.buildkite.com', ['/organization_id'], '/pipeline_slug is missing'],
    ['https://agent.buildkite.com', ['/pipeline_slug'], '/organization_id is missing'],
    ['https://agent.buildkite.com', ['/organization_slug', '/pipeline_slug'], null],
    [
      'https://token.actions.githubusercontent.com',
      ['/enterprise_id'],
      '/repository_id and /repository_owner_id',
    ],
    [
      'https://token.actions.githubusercontent.com/octo',
      ['/repository_owner_id'],
      '/repository_id is missing',
    ],
    ['https://token.actions.githubusercontent.com', ['/repository_id', '/repository_owner_id'], null],
  ])('issuerFault for issuer %s with conditions on %s is as expected', (issuer, claims, message) => {
    const conditions = claims.map((claim) => equals(claim, 'x'));
    const fault = issuerFault(issuer, conditions)?.message ?? null;
    if (message === null) expect(fault).toBeNull();
    else expect(fault).toContain(message);
    // Conditions of every map have the same effect as conditions of the trust.
    expect(issuerFault(issuer, [], [{ conditions }, { conditions }]) === null).toBe(message === null);
    expect(issuerFault(issuer, [], [{ conditions }, {}])).not.toBeNull();
  });

  const raw = (payload: string): string => {
    const text = `${encodedPart({ alg: 'RS256', kid: 'k1' })}.${encodedPart(payload)}`;
    return `${text}.${signatureOf(key, text).toString('base64url')}`;
  };
  const body = JSON.stringify(GOOD).slice(0, -1);

  it('accepts equal names in nested objects, and text that looks like a member', async () => {
    const nested = `${body},"act":{"sub":"a","iss":"b","act":{"sub":"c"}},"x":["sub",{"sub":1}],"y":"\\"sub\\":1,{\\"sub\\":"}`;
    expect((await verify([inline()], raw(nested))).caller.userId).toBe('u1');
  });

  it.each([
    ['unescaped', `${body},"sub":"admin"}`],
    ['escaped', `${body},"s\\u0075b":"admin"}`],
    ['after an object and a list', `${body},"a":{"b":[{}]},"c":["}"],"sub" : "admin"}`],
    ['in a claim of a condition', `${body},"team":"a","team":"b"}`],
  ])('refuses a token with a duplicate name: %s', (_how, payload) => {
    expect(() => readToken(raw(payload))).toThrow(/occurs twice/);
  });

  it('bounds claims that reach logs, and refuses control characters in them', async () => {
    const rule = inline({
      maps: [{ conditions: [], workspaceId: null, scopes: ['completions.write'], metadata: { run: '/run' } }],
    });
    const claims = { gw_workspace: 'main' };
    expect(await faultOf([rule], { ...claims, email_id: `${'a'.repeat(244)}@example.org` })).toBeNull();
    expect(await faultOf([rule], { ...claims, email_id: `${'a'.repeat(245)}@example.org` })).toBe('claims');
    expect(await faultOf([rule], { ...claims, email_id: 'a@example.org\nb' })).toBe('claims');
    expect(await faultOf([rule], { ...claims, run: 'a\u0000' })).toBe('claims');
    expect(await faultOf([rule], { ...claims, metadata: { 'a\r': 'b' } })).toBe('claims');
    expect(await faultOf([rule], { gw_workspace: 'ma\nin' })).toBe('map');
    const long = await verify([rule], signedToken(key, { ...GOOD, ...claims, run: 'a'.repeat(9_000) }));
    expect(long.caller.metadata['run']?.length).toBe(128);
  });
});
