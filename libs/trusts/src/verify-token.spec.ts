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

describe('verification of tokens', () => {
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
  /** Returns the check that refuses a token with these claims; null when it is accepted. */
  const refusedBy = (rules: readonly TrustRule[], claims: object): Promise<TokenCheck | null> =>
    verify(rules, signedToken(key, { ...GOOD, ...claims })).then(
      () => null,
      (error: unknown) => {
        if (error instanceof TokenFault) return error.check;
        throw error;
      },
    );
  /** Trusts of `count` organisations, each with its own key set. */
  const trustsOf = (count: number, more: (at: number) => Partial<TrustRule>): TrustRule[] =>
    Array.from({ length: count }, (_, at) =>
      trustOf({
        organisationId: `organisation-${String(at)}-of-many`,
        jwksUrls: [`https://keys.example/${String(at)}`],
        ...more(at),
      }),
    );

  it('reads keys only for trusts whose audience, organisation and conditions the token meets', async () => {
    const rules = trustsOf(1_000, (at) => ({ conditions: [equals('/repository_id', String(at))] }));
    const junk = (claims: object): string => `${signedToken(key, { ...GOOD, ...claims }).slice(0, -20)}AAAA`;
    await expect(verify(rules, junk({ repository_id: 'none' }))).rejects.toThrow(TokenFault);
    await expect(verify(rules, junk({ aud: 'another', repository_id: '7' }))).rejects.toThrow(TokenFault);
    await expect(verify(rules, junk({ gw_oid: 'another', repository_id: '7' }))).rejects.toThrow(TokenFault);
    expect(fetched).toEqual([]);
    await expect(verify(rules, junk({ repository_id: '7' }))).rejects.toThrow(/No key set/);
    expect(fetched).toEqual(['https://keys.example/7']);
  });

  it('refuses a token that trusts of more than eight organisations match, without reading keys', async () => {
    expect(
      await refusedBy(
        trustsOf(9, () => ({})),
        {},
      ),
    ).toBe('organisation');
    expect(fetched).toEqual([]);
  });

  it('assigns a token that several organisations accept to the one whose id its audience contains, else refuses it', async () => {
    const [ours, theirs] = ['0a000000-0000-4000-8000-000000000001', '0a000000-0000-4000-8000-000000000002'];
    const aud = `https://gateway.example.org/${ours}`;
    const rules = [theirs, ours].map((organisationId) => inline({ organisationId, audiences: [aud] }));
    const token = signedToken(key, { ...GOOD, aud });
    expect((await verify(rules, token)).rule.organisationId).toBe(ours);
    // The copy alone accepts the token, so only the audience decides above.
    expect(await refusedBy(rules.slice(0, 1), { aud })).toBeNull();
    const plain = [theirs, ours].map((organisationId) => inline({ organisationId }));
    expect(await refusedBy(plain, {})).toBe('organisation');
  });

  it('refuses a token with scp under an Entra trust unless the trust has a condition on scp', async () => {
    const issuer = 'https://login.microsoftonline.com/t1/v2.0';
    const conditions = [equals('/tid', 't1'), equals('/oid', 'o1')];
    const claims = { iss: issuer, tid: 't1', oid: 'o1' };
    expect(await refusedBy([inline({ issuer, conditions })], claims)).toBeNull();
    const delegated = { ...claims, scp: 'access_as_user' };
    expect(await refusedBy([inline({ issuer, conditions })], delegated)).toBe('conditions');
    const allowed = [...conditions, equals('/scp', 'access_as_user')];
    expect(await refusedBy([inline({ issuer, conditions: allowed })], delegated)).toBeNull();
    expect(await refusedBy([inline({ preset: 'azure' })], { scp: '' })).toBe('conditions');
    expect(await refusedBy([inline()], { scp: 'anything' })).toBeNull();
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
  ])('issuerFault for issuer %s with conditions on %j reports %s', (issuer, claims, message) => {
    const conditions = claims.map((claim) => equals(claim, 'x'));
    const fault = issuerFault(issuer, conditions)?.message ?? null;
    if (message === null) expect(fault).toBeNull();
    else expect(fault).toContain(message);
    // Conditions of every map have the same effect as conditions of the trust; those of only some
    // maps have none.
    expect(issuerFault(issuer, [], [{ conditions }, { conditions }]) === null).toBe(message === null);
    expect(issuerFault(issuer, [], [{ conditions }, {}])).not.toBeNull();
  });

  /** Returns a signed token whose payload is this text. */
  const tokenWith = (payload: string): string => {
    const text = `${encodedPart({ alg: 'RS256', kid: 'k1' })}.${encodedPart(payload)}`;
    return `${text}.${signatureOf(key, text).toString('base64url')}`;
  };
  /** JSON of `GOOD` without its closing brace. */
  const openPayload = JSON.stringify(GOOD).slice(0, -1);

  it('accepts equal names at different depths, and text that looks like a member', async () => {
    const nested = `${openPayload},"act":{"sub":"a","iss":"b","act":{"sub":"c"}},"x":["sub",{"sub":1}],"y":"\\"sub\\":1,{\\"sub\\":"}`;
    expect((await verify([inline()], tokenWith(nested))).caller.userId).toBe('u1');
  });

  it.each([
    ['unescaped', `${openPayload},"sub":"admin"}`],
    ['escaped', `${openPayload},"s\\u0075b":"admin"}`],
    ['after an object and a list', `${openPayload},"a":{"b":[{}]},"c":["}"],"sub" : "admin"}`],
    ['in a claim of a condition', `${openPayload},"team":"a","team":"b"}`],
  ])('refuses a token with a duplicate name: %s', (_how, payload) => {
    expect(() => readToken(tokenWith(payload))).toThrow(/occurs twice/);
  });

  it('names the user by the subject if the e-mail address is empty', async () => {
    const { caller } = await verify([inline()], signedToken(key, { ...GOOD, email_id: '' }));
    expect(caller.userId).toBe('u1');
  });

  it('bounds claims that reach logs, and refuses control characters in them', async () => {
    const rule = inline({
      maps: [{ conditions: [], workspaceId: null, scopes: ['completions.write'], metadata: { run: '/run' } }],
    });
    const claims = { gw_workspace: 'main' };
    expect(await refusedBy([rule], { ...claims, email_id: `${'a'.repeat(244)}@example.org` })).toBeNull();
    expect(await refusedBy([rule], { ...claims, email_id: `${'a'.repeat(245)}@example.org` })).toBe('claims');
    expect(await refusedBy([rule], { ...claims, email_id: 'a@example.org\nb' })).toBe('claims');
    expect(await refusedBy([rule], { ...claims, run: 'a\u0000' })).toBe('claims');
    expect(await refusedBy([rule], { ...claims, metadata: { 'a\r': 'b' } })).toBe('claims');
    expect(await refusedBy([rule], { gw_workspace: 'ma\nin' })).toBe('map');
    const long = await verify([rule], signedToken(key, { ...GOOD, ...claims, run: 'a'.repeat(9_000) }));
    expect(long.caller.metadata['run']?.length).toBe(128);
  });
});
