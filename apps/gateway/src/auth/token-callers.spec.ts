import { createHash } from 'node:crypto';
import { documentKey, type RateLimitPolicyRule, type TrustRule } from '@gw/contracts';
import {
  ecKeyPair,
  rsaKeyPair,
  signedToken,
  StubProvider,
  TOKEN_AUDIENCE,
  TOKEN_ISSUER,
  trustOf,
  type TokenKeyPair,
} from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, OTHER_WORKSPACE_ID, WORKSPACE_ID } from '../spec-support/harness';

const [k1, k2] = [rsaKeyPair('k1'), ecKeyPair('k2')];
const now = (): number => Math.floor(Date.now() / 1_000);

describe('callers with a signed token', () => {
  let gateway: GatewayHarness;
  let sets: readonly [StubProvider, StubProvider];
  let provider: StubProvider;

  beforeEach(async () => {
    const [one, two, stub] = await Promise.all([
      StubProvider.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    sets = [one, two];
    provider = stub;
    gateway = await GatewayHarness.start();
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    for (const workspaceId of [WORKSPACE_ID, OTHER_WORKSPACE_ID]) {
      gateway.addProvider('main', 'openai', provider.origin, { workspaceId });
    }
    provider.respondJson({ object: 'chat.completion', choices: [{ message: { content: 'Hi' } }] });
    publish(one, k1);
    publish(two, k2);
    save({});
  });
  afterEach(() => Promise.all([gateway.stop(), provider.stop(), ...sets.map((each) => each.stop())]));

  const publish = (stub: StubProvider, ...keys: TokenKeyPair[]): void => {
    stub.respondJson({ keys: keys.map(({ jwk }) => jwk) });
  };

  /** Saves the trust of the issuer as the control plane does. */
  function save(more: Partial<TrustRule>): TrustRule {
    const rule = trustOf({
      id: '0a000000-0000-4000-8000-0000000000aa',
      organisationId: ORGANISATION_ID,
      jwksUrls: sets.map(({ origin }) => `${origin}/jwks`),
      maps: [
        { conditions: [], workspaceId: null, scopes: ['completions.write', 'mcp.invoke'], metadata: {} },
      ],
      ...more,
    });
    const at = documentKey.trusts(createHash('sha256').update(TOKEN_ISSUER).digest('hex'));
    gateway.documents.set(at, { kind: 'trusts', version: String(Math.random()), trusts: [rule] });
    const slugs = { main: WORKSPACE_ID, other: OTHER_WORKSPACE_ID };
    for (const [slug, workspaceId] of Object.entries(slugs)) {
      const key = documentKey.workspaceSlug(ORGANISATION_ID, slug);
      gateway.documents.set(key, { kind: 'workspace_slug', version: '1', workspaceId });
    }
    return rule;
  }

  const tokenOf = (key: TokenKeyPair, more: object = {}): string =>
    signedToken(key, {
      ...{ iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE, sub: 'u1', iat: now(), exp: now() + 300 },
      ...{ gw_workspace: 'main', ...more },
    });

  const call = (
    token: string,
    header: Record<string, string> = { authorization: `Bearer ${token}` },
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-provider': '@main', ...header },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  const statusOf = async (token: string): Promise<number> => (await call(token)).status;

  it('[SCP-03] are served with keys of several addresses, in either header, and logged with trust and user', async () => {
    expect([await statusOf(tokenOf(k1)), await statusOf(tokenOf(k2))]).toEqual([200, 200]);
    const named = tokenOf(k1, { email_id: 'ann@example.org', gw_workspace: 'other' });
    expect((await call(named, { 'x-gw-api-key': named })).status).toBe(200);
    const records = await gateway.records();
    expect(records.at(-1)).toMatchObject({
      apiKeyId: '0a000000-0000-4000-8000-0000000000aa',
      userId: 'ann@example.org',
      workspaceId: OTHER_WORKSPACE_ID,
      metadata: { _user: 'ann@example.org' },
    });
    expect(sets.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  it('[SCP-03] are served while one address fails; a token whose key only the failing one has is refused', async () => {
    sets[1].respondJson({}, 500);
    expect([await statusOf(tokenOf(k1)), await statusOf(tokenOf(k2))]).toEqual([200, 401]);
  });

  describe('of a trust whose tokens work once', () => {
    beforeEach(() => save({ requireJtiOnce: true, maxTtl: 600 }));

    it('wl-013: are refused when they are repeated, also concurrently', async () => {
      const token = tokenOf(k1, { jti: 'a' });
      expect([await statusOf(token), await statusOf(token), await statusOf(token)]).toEqual([200, 401, 401]);
      const raced = tokenOf(k1, { jti: 'b' });
      const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(raced)));
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(await statusOf(tokenOf(k1, { jti: 'b', sub: 'another' }))).toBe(401);
      expect(await statusOf(tokenOf(k1, { jti: 'c' }))).toBe(200);
    });

    it('are refused without an id, and an invalid token uses up none', async () => {
      for (const jti of [undefined, '', 1, 'x'.repeat(600), 'a\u0000b'])
        expect(await statusOf(tokenOf(k1, { jti }))).toBe(401);
      expect(await statusOf(tokenOf(k1, { jti: 'd', exp: now() - 60 }))).toBe(401);
      expect(await statusOf(tokenOf(k1, { jti: 'd' }))).toBe(200);
    });
  });

  it('get 503 and not 401 while no key set can be read', async () => {
    for (const stub of sets) stub.respondJson({}, 500);
    const response = await call(tokenOf(k1));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('get one message for every fault of the token, and 403 only where nothing fits', async () => {
    const other = rsaKeyPair('k1');
    const faults = [
      tokenOf(other),
      tokenOf(k1, { exp: now() - 60 }),
      tokenOf(k1, { aud: 'another' }),
      tokenOf(k1, { iss: 'https://unknown.example' }),
      tokenOf(k1, { gw_oid: 'another' }),
    ];
    const texts = await Promise.all(
      faults.map(async (each) => [(await call(each)).status, 'api_key_invalid']),
    );
    expect(texts).toEqual(faults.map(() => [401, 'api_key_invalid']));
    expect(await statusOf(tokenOf(k1, { gw_workspace: 'nowhere' }))).toBe(403);
    expect(await statusOf(tokenOf(k1, { scope: 'mcp.invoke' }))).toBe(403);
  });

  it('are refused from the next request on when the trust, its workspace or the key ends', async () => {
    const token = tokenOf(k1);
    expect(await statusOf(token)).toBe(200);
    save({ audiences: ['another'] });
    expect(await statusOf(token)).toBe(401);
    save({});
    expect(await statusOf(token)).toBe(200);
    gateway.addTenant(WORKSPACE_ID, 'main', { status: 'archived' });
    expect(await statusOf(token)).toBe(401);
  });

  it('are refused once the token expires, also when it was accepted before', async () => {
    let atMs = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => atMs);
    expect(await statusOf(tokenOf(k1, { exp: now() - 3 }))).toBe(401);
    const exp = now() + 5;
    const short = tokenOf(k1, { exp });
    expect(await statusOf(short)).toBe(200);
    atMs = exp * 1_000 - 1;
    expect(await statusOf(short)).toBe(200);
    atMs = (exp + 3) * 1_000;
    expect(await statusOf(short)).toBe(401);
    clock.mockRestore();
  });

  it('[SCP-04] are held to the policies and default guardrails of their workspace', async () => {
    const policy: RateLimitPolicyRule = {
      ...{ id: 'p', name: null, target: 'llm' as const, groupBy: [] },
      conditions: [{ key: 'metadata._user', value: 'ann' }],
      limit: { type: 'requests', unit: 'rpd', value: 1 },
    };
    gateway.addGuardrail(
      'words',
      [{ id: 'default.contains', parameters: { words: ['Hi'], operator: 'none' } }] as never,
      { deny: true },
    );
    const defaults = { metadata: {}, config: null };
    gateway.addTenant(WORKSPACE_ID, 'main', {
      defaults,
      policies: { usageLimits: [], rateLimits: [policy] },
    });
    const [ann, bob] = [tokenOf(k1, { sub: 'ann' }), tokenOf(k1, { sub: 'bob' })];
    expect([await statusOf(ann), await statusOf(ann), await statusOf(bob)]).toEqual([200, 429, 200]);
    gateway.addTenant(WORKSPACE_ID, 'main', {
      defaults: { ...defaults, guardrails: { input: ['words'], output: [] } },
    });
    expect([await statusOf(bob), provider.requests.length]).toEqual([446, 2]);
  });

  it('are limited as their token states, each subject separately', async () => {
    const limit = { rate_limits: [{ type: 'requests', unit: 'rpd', value: 1 }] };
    const [ann, bob] = [tokenOf(k1, { sub: 'ann', ...limit }), tokenOf(k1, { sub: 'bob', ...limit })];
    expect([await statusOf(ann), await statusOf(ann), await statusOf(bob)]).toEqual([200, 429, 200]);
  });

  it('spend the budgets of their token, each subject separately, and all tokens of a subject together', async () => {
    const budget = { type: 'requests', credit_limit: 2, periodic_reset: 'monthly', alert_threshold: 1 };
    const of = (sub: string, more: object = {}): string =>
      tokenOf(k1, { sub, usage_limits: [{ ...budget, ...more }] });
    expect([await statusOf(of('ann')), await statusOf(of('ann', { credit_limit: 3 }))]).toEqual([200, 200]);
    const refused = await call(of('ann'));
    expect([refused.status, await statusOf(of('bob'))]).toEqual([412, 200]);
    expect([await statusOf(of('ann', { credit_limit: 3 })), await statusOf(of('ann'))]).toEqual([200, 412]);
    expect(await statusOf(tokenOf(k1, { sub: 'ann', usage_limits: { ...budget, credit_limit: 3 } }))).toBe(
      412,
    );
  });

  it('keep budgets with different resets apart, and cannot choose when a budget is reset', async () => {
    const of = (more: object): string =>
      tokenOf(k1, { sub: 'eve', usage_limits: [{ type: 'requests', credit_limit: 1, ...more }] });
    const days = (next: number): object => ({
      periodic_reset_days: 30,
      next_usage_reset_at: new Date(Date.now() + next * 86_400_000).toISOString(),
    });
    expect([await statusOf(of(days(30))), await statusOf(of(days(1))), await statusOf(of(days(-1)))]).toEqual(
      [200, 412, 412],
    );
    expect([await statusOf(of({ periodic_reset: 'weekly' })), await statusOf(of(days(2)))]).toEqual([
      200, 412,
    ]);
    expect([await statusOf(of({})), await statusOf(of({ periodic_reset: 'weekly' }))]).toEqual([200, 412]);
  });

  it('are charged in the durable record under the budget of their subject', async () => {
    const usage_limits = [{ type: 'cost', credit_limit: 5 }];
    expect(await statusOf(tokenOf(k1, { sub: 'ann', usage_limits }))).toBe(200);
    const [record] = (await gateway.records()).slice(-1);
    expect(record?.decision).toMatchObject({
      charges: [
        {
          counters: [
            [expect.stringMatching(/^api_key:[-0-9a-f]{36}:cost:budget:once$/), 0, expect.anything()],
          ],
        },
      ],
    });
  });

  it.each([
    ['a type that is none', { type: 'money', credit_limit: 1 }],
    ['no amount', { type: 'cost' }],
    ['a text as the amount', { type: 'cost', credit_limit: '1' }],
    ['an amount below zero', { type: 'cost', credit_limit: -1 }],
    ['an unknown reset', { type: 'cost', credit_limit: 1, periodic_reset: 'yearly' }],
    ['two resets', { type: 'cost', credit_limit: 1, periodic_reset: 'weekly', periodic_reset_days: 3 }],
    ['days below one', { type: 'cost', credit_limit: 1, periodic_reset_days: 0 }],
    ['a time that is none', { type: 'cost', credit_limit: 1, next_usage_reset_at: 'soon' }],
    ['no object', 'cost'],
  ])('are refused when a budget has %s', async (_, limit) => {
    expect(await statusOf(tokenOf(k1, { usage_limits: [limit] }))).toBe(401);
  });

  it('are refused when they state the same limit twice', async () => {
    const rate = { type: 'requests', unit: 'rpm', value: 9 };
    expect(await statusOf(tokenOf(k1, { rate_limits: [rate, { ...rate, value: 8 }] }))).toBe(401);
    const budget = { type: 'cost', credit_limit: 9 };
    expect(await statusOf(tokenOf(k1, { usage_limits: [budget, budget] }))).toBe(401);
  });

  it('are refused when tokens are switched off', async () => {
    const off = await GatewayHarness.start({ JWT_ENABLED: 'OFF' });
    try {
      const { status } = await fetch(`${off.baseUrl}/models`, {
        headers: { authorization: `Bearer ${tokenOf(k1)}` },
      });
      expect(status).toBe(401);
    } finally {
      await off.stop();
    }
  });
});
