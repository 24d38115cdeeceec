import { createAddressPolicy, HOUR_MS } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import {
  ecKeyPair,
  eventually,
  readCases,
  rsaKeyPair,
  signedToken,
  StubProvider,
  TOKEN_AUDIENCE,
  TOKEN_ISSUER,
  trustOf,
  type StubResponse,
  type TokenKeyPair,
} from '@gw/testing';
import { fetchKeysBy, KeySets, KeysUnavailable, readToken, TokenFault, verifyAny } from '@gw/trusts';
import { createHmac, generateKeyPairSync } from 'node:crypto';

interface Script {
  readonly id: string;
  readonly reason: string;
  readonly responses: readonly string[];
}

const { jwks: scripts } = readCases('jwt.json') as { readonly jwks: readonly Script[] };
/** Scripts about saved settings, not about fetched key sets. */
const OF_SETTINGS = ['jwks-18', 'jwks-19'];

const [k1, k2, weak] = [rsaKeyPair('k1'), ecKeyPair('k2'), rsaKeyPair('weak', 1_024)];
const [x, y] = [rsaKeyPair('a'), rsaKeyPair('a')];
const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0';
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const leaked = {
  ...{ id: 'leaked', algorithm: 'RS256', privateKey },
  jwk: { ...privateKey.export({ format: 'jwk' }), kid: 'leaked' },
};

const setOf = (...jwks: readonly object[]): StubResponse => ({ body: { keys: jwks } });
/** Responses of the servers in the scripts, in order; the last one repeats. */
const RESPONSES: Readonly<Record<string, readonly [StubResponse, ...StubResponse[]]>> = {
  'ok k1': [setOf(k1.jwk)],
  'ok k2': [setOf(k2.jwk)],
  '500': [{ status: 500, body: {} }],
  'ok kid=a key X': [setOf(x.jwk)],
  'ok kid=a key Y': [setOf(y.jwk)],
  'ok then 500 for 1 h': [setOf(k1.jwk), { status: 500, body: {} }],
  '10 MB body': [{ body: JSON.stringify({ keys: [k1.jwk], padding: 'x'.repeat(10_000_000) }) }],
  '{"keys":[]}': [setOf()],
  'oct key in the set': [setOf({ kty: 'oct', kid: 'k1', alg: 'HS256', k: secret })],
  'use=enc key': [setOf({ ...k1.jwk, use: 'enc' })],
  'RSA 1024': [setOf(weak.jwk)],
  'RSA with private parts': [setOf(leaked.jwk)],
  'kid cached from org A': [setOf(k1.jwk)],
};

/** Key sets as a gateway reads them, over servers that play a script. */
class Stage {
  nowMs = 1_770_000_000_000;
  readonly warnings: string[] = [];
  readonly servers: StubProvider[] = [];
  private readonly sets = new KeySets({
    fetch: fetchKeysBy(new BufferedClient({ policy: createAddressPolicy({ trustedHosts: ['127.0.0.1'] }) })),
    warn: (url, error) => this.warnings.push(`${url} ${String((error as Error).stack)}`),
    now: () => this.nowMs,
  });

  async play(responses: readonly string[]): Promise<void> {
    for (const each of responses) {
      const script = RESPONSES[each];
      if (script === undefined) throw new Error(`No server plays: ${each}`);
      const server = await StubProvider.start();
      server.respond(...script);
      this.servers.push(server);
    }
  }

  /** `accept`, the check that refuses a token, or `unavailable`. */
  async verdict(key: TokenKeyPair, { organisationId = 'organisation-1', token = this.tokenOf(key) } = {}) {
    const jwksUrls = this.servers.map(({ origin }) => `${origin}/jwks`);
    const rule = trustOf({ jwksUrls, organisationId, algorithms: ['RS256', 'ES256'] });
    const parts = { sets: this.sets, now: this.nowMs / 1_000 };
    return verifyAny([rule], readToken(token), parts).then(
      () => 'accept',
      (error: unknown) => {
        if (error instanceof TokenFault) return error.check;
        if (error instanceof KeysUnavailable) return 'unavailable';
        throw error;
      },
    );
  }

  claims(): object {
    const iat = this.nowMs / 1_000;
    return { iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE, sub: 'u1', iat, exp: iat + 300 };
  }

  private tokenOf(key: TokenKeyPair): string {
    return signedToken(key, this.claims());
  }
}

/** The steps and expectations of each script. */
const PLAYS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'jwks-01': async (stage) => {
    expect([await stage.verdict(k1), await stage.verdict(k2)]).toEqual(['accept', 'accept']);
  },
  'jwks-02': async (stage) => {
    expect([await stage.verdict(k1), await stage.verdict(k2)]).toEqual(['accept', 'key']);
    expect(stage.warnings).toHaveLength(1);
    expect(stage.warnings[0]).toContain(stage.servers[1]?.origin);
  },
  'jwks-04': async (stage) => {
    await stage.verdict(k1);
    expect([await stage.verdict(x), await stage.verdict(y)]).toEqual(['accept', 'signature']);
  },
  'jwks-06': async (stage) => {
    expect(await stage.verdict(k1)).toBe('accept');
    for (let hour = 1; hour < 24; hour += 1) {
      stage.nowMs += HOUR_MS;
      expect(await stage.verdict(k1)).toBe('accept');
    }
    expect(await stage.verdict(k2)).toBe('key');
    stage.nowMs += HOUR_MS;
    expect(await stage.verdict(k1)).toBe('unavailable');
  },
  'jwks-09': async (stage) => {
    expect(await stage.verdict(k1)).toBe('unavailable');
    expect(stage.warnings[0]).toContain('larger than 1048576 bytes');
  },
  'jwks-10': async (stage) => {
    expect(await stage.verdict(k1)).toBe('key');
    const [server] = stage.servers;
    server?.respond(setOf(k1.jwk), setOf());
    stage.nowMs += 30_000;
    expect(await stage.verdict(k1)).toBe('accept');
    stage.nowMs += HOUR_MS;
    expect(await stage.verdict(k1)).toBe('accept');
    expect(server?.requests).toHaveLength(3);
    expect(stage.warnings[0]).toContain('The key set is empty.');
  },
  'jwks-12': async (stage) => {
    const header = Buffer.from('{"alg":"HS256","kid":"k1"}').toString('base64url');
    const text = `${header}.${Buffer.from(JSON.stringify(stage.claims())).toString('base64url')}`;
    const mac = createHmac('sha256', Buffer.from(secret, 'base64url')).update(text).digest('base64url');
    // No trust can list a symmetric algorithm, so no key is looked for.
    expect(await stage.verdict(k1, { token: `${text}.${mac}` })).toBe('key');
    expect(await stage.verdict(k1)).toBe('key');
  },
  'jwks-13': async (stage) => {
    expect(await stage.verdict(k1)).toBe('key');
  },
  'jwks-14': async (stage) => {
    expect(await stage.verdict(weak)).toBe('key');
  },
  'jwks-15': async (stage) => {
    expect(await stage.verdict(leaked)).toBe('accept');
    const text = JSON.stringify(leaked.jwk);
    stage.servers[0]?.respond({ body: `{"keys":[${text},]}` }, { status: 500, body: text });
    for (let time = 0; time < 2; time += 1) {
      stage.nowMs += HOUR_MS;
      expect(await stage.verdict(leaked)).toBe('accept');
    }
    // The second read continues after the response.
    await eventually(() => stage.warnings.length === 2);
    expect(stage.warnings.join()).not.toMatch(/"d"|"kty"|leaked/);
  },
  'jwks-20': async (stage) => {
    expect(await stage.verdict(k1)).toBe('accept');
    stage.servers[0]?.respond(setOf(k2.jwk));
    expect(await stage.verdict(k1, { organisationId: 'organisation-2' })).toBe('key');
    expect(await stage.verdict(k2, { organisationId: 'organisation-2' })).toBe('accept');
    expect(await stage.verdict(k1)).toBe('accept');
  },
};

describe('key set servers', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => Promise.all(stage.servers.map((each) => each.stop())));

  const played = scripts.filter(({ id }) => !OF_SETTINGS.includes(id));
  it.each(played.map((each) => [each.id, each.reason, each] as const))(
    '[SCP-03] %s %s',
    async (id, _reason, { responses }) => {
      await stage.play(responses);
      const play = PLAYS[id];
      if (play === undefined) throw new Error('Nothing plays the script.');
      await play(stage);
    },
  );

  it('have the effects that each script of the file states', () => {
    expect(scripts.map(({ id }) => id).sort()).toEqual([...Object.keys(PLAYS), ...OF_SETTINGS].sort());
  });

  it('set how long their keys are used, after which a removed key is no longer accepted', async () => {
    await stage.play(['ok k1']);
    const [server] = stage.servers;
    const headers = { 'cache-control': 'public, max-age=600', age: '60' };
    server?.respond({ ...setOf(k1.jwk, k2.jwk), headers }, setOf(k2.jwk));
    expect(await stage.verdict(k1)).toBe('accept');
    stage.nowMs += 540_000 - 54_001;
    expect(await stage.verdict(k1)).toBe('accept');
    expect(server?.requests).toHaveLength(1);
    stage.nowMs += 54_001;
    expect([await stage.verdict(k1), await stage.verdict(k2)]).toEqual(['key', 'accept']);
  });

  it('delay no key of other servers while they hang, and an unknown key for at most two seconds', async () => {
    await stage.play(['ok k1', 'ok k2']);
    stage.servers[0]?.respond({ neverRespond: true });
    const order: string[] = [];
    const unknown = stage.verdict(k1).finally(() => order.push('unknown'));
    const known = stage.verdict(k2).finally(() => order.push('known'));
    expect([await known, await unknown, order]).toEqual(['accept', 'key', ['known', 'unknown']]);
    // Only the first call waits, and not until the read of the set has ended.
    const turn = new Promise((resolve) => setImmediate(resolve, 'waits'));
    expect(await Promise.race([stage.verdict(k1), turn])).toBe('key');
    expect(stage.warnings).toEqual([]);
    expect(stage.servers.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  it('are not followed when they redirect, so that nobody can choose another address for them', async () => {
    await stage.play(['ok k1', 'ok k2']);
    const [first, second] = stage.servers;
    first?.respond({ status: 302, headers: { location: `${second?.origin ?? ''}/other` } });
    stage.servers.pop();
    expect(await stage.verdict(k2)).toBe('unavailable');
    expect(second?.requests).toHaveLength(0);
    await second?.stop();
  });
});
