import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { compileGuardrail } from '../compile';
import type { JsonObject } from '../json';
import { asking, compiled, judged, verdictOf } from '../spec-support/judge';
import { json, RecordingPort } from '../spec-support/recording-port';

const URI = 'https://login.example.com/jwks';

async function signer(kid: string, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg };
  const sign = (claims: JsonObject, header: JsonObject = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  return { jwk, sign };
}

const now = Math.floor(new RecordingPort().nowMs / 1_000);
const good = { sub: 'u1', iat: now, exp: now + 300 };
const parameters = { jwksUri: URI, headerKey: 'X-User', algorithms: ['ES256'] };

async function check(
  token: string | null,
  keys: readonly JWK[],
  more: JsonObject = {},
  headers: Record<string, string> = {},
) {
  const port = new RecordingPort(() => json({ keys }));
  const sent = token === null ? headers : { 'x-user': token, ...headers };
  return {
    port,
    result: await verdictOf('jwt', { ...parameters, ...more }, asking('hi', { headers: sent }), port),
  };
}

describe('default.jwt', () => {
  it('refuses keys that are no objects', () => {
    const checks = [{ id: 'default.jwt', parameters: { jwks: { keys: [1] } } }];
    expect(compileGuardrail({ checks })).toMatchObject({
      ok: false,
      details: [{ path: 'checks.0.parameters.jwks.keys' }],
    });
  });

  it('compares a claim with an object that is no rule, and refuses a token without the claim', async () => {
    const { jwk, sign } = await signer('k1');
    const verdict = async (claims: JsonObject, at: JsonObject) =>
      (await check(await sign({ ...good, ...claims }), [jwk], { claimValues: { at } })).result.verdict;
    expect(await verdict({ at: { country: 'DE' } }, { country: 'DE' })).toBe(true);
    expect(await verdict({ at: { country: 'FR' } }, { country: 'DE' })).toBe(false);
    expect(await verdict({}, { country: 'DE' })).toBe(false);
    expect(await verdict({}, {})).toBe(false);
  });

  it('accepts a valid token, with or without a Bearer prefix', async () => {
    const { jwk, sign } = await signer('k1');
    const token = await sign(good);
    expect((await check(token, [jwk])).result).toMatchObject({ verdict: true });
    expect((await check(`Bearer ${token}`, [jwk])).result).toMatchObject({ verdict: true });
  });

  it('refuses tokens that are missing, foreign, expired, too old, without expiry or unsigned, with a reason that does not reveal them', async () => {
    const { jwk, sign } = await signer('k1');
    const other = await signer('k1');
    const none = `${Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url')}.${Buffer.from(JSON.stringify(good)).toString('base64url')}.`;
    const rows: [string | null, RegExp][] = [
      [null, /missing/],
      [await other.sign(good), /signature/],
      [await sign({ ...good, exp: now - 60 }), /expired/],
      [await sign({ ...good, iat: now - 200_000 }), /iat|expired/],
      [await sign({ sub: 'u1', iat: now }), /exp/],
      [none, /not valid/],
      ['a.b', /not valid/],
      [await sign(good, { kid: 'other' }), /No key/],
    ];
    for (const [token, reason] of rows) {
      const { result } = await check(token, [jwk]);
      expect(result).toMatchObject({ verdict: false, data: { explanation: expect.stringMatching(reason) } });
      expect(result.error).toBeUndefined();
    }
  });

  it('treats a header with the name of an inherited member as missing', async () => {
    const { jwk } = await signer('k1');
    const { result } = await check(null, [jwk], { headerKey: 'constructor' });
    expect(result).toMatchObject({ verdict: false, data: { explanation: expect.stringMatching(/missing/) } });
  });

  it('checks claims: required ones, values, and headers that must match', async () => {
    const { jwk, sign } = await signer('k1');
    const token = await sign({ ...good, role: ['admin', 'dev'], team: 'a' });
    const verdict = async (more: JsonObject, headers = {}) =>
      (await check(token, [jwk], more, headers)).result.verdict;
    expect(await verdict({ requiredClaims: ['team'] })).toBe(true);
    expect(await verdict({ requiredClaims: ['nosuch'] })).toBe(false);
    expect(await verdict({ requiredClaims: ['toString'] })).toBe(false);
    expect(await verdict({ claimValues: { team: ['a', 'b'], role: 'dev' } })).toBe(true);
    expect(
      await verdict({ claimValues: { role: { values: ['admin', 'ops'], matchType: 'containsAll' } } }),
    ).toBe(false);
    expect(await verdict({ headerPayloadMatch: ['team'] }, { team: 'a' })).toBe(true);
    expect(await verdict({ headerPayloadMatch: ['team'] }, { team: 'b' })).toBe(false);
    expect(await verdict({ issuer: 'me' })).toBe(false);
  });

  it('cannot decide without keys, and uses no published secret or encryption key', async () => {
    const { jwk, sign } = await signer('k1');
    const token = await sign(good);
    const down = new RecordingPort(() => json({}, 500));
    const result = await verdictOf('jwt', parameters, asking('hi', { headers: { 'x-user': token } }), down);
    expect(result).toMatchObject({ error: { name: 'CheckError' } });
    expect((await check(token, [{ ...jwk, use: 'enc' }])).result.error).toBeDefined();
    expect((await check(token, [{ kty: 'oct', k: 'c2VjcmV0', kid: 'k1' }])).result.error).toBeDefined();
  });

  it('fetches keys once, merges those of several URLs, and fetches again for an unknown key at most every 30 s', async () => {
    const [first, second] = [await signer('k1'), await signer('k2')];
    const port = new RecordingPort(({ url }) =>
      url.endsWith('2') ? json({ keys: [second.jwk] }) : json({ keys: [first.jwk] }),
    );
    const guardrail = compiled([{ id: 'jwt', parameters: { ...parameters, jwksUri: `${URI}, ${URI}2 ,` } }]);
    const ask = async (token: string) =>
      (await judged([guardrail], asking('hi', { headers: { 'x-user': token } }), port)).results[0]?.verdict;
    expect(await ask(await first.sign(good))).toBe(true);
    expect(await ask(await second.sign(good))).toBe(true);
    expect(port.calls).toHaveLength(2);
    const foreign = await signer('k3');
    for (let times = 0; times < 3; times++) expect(await ask(await foreign.sign(good))).toBe(false);
    expect(port.calls).toHaveLength(2);
    port.nowMs += 31_000;
    expect(await ask(await foreign.sign(good))).toBe(false);
    expect(port.calls).toHaveLength(4);
  });

  it('accepts a key id that two issuers use, and verifies each issuer’s tokens only with its own keys', async () => {
    const [one, two] = [await signer('same'), await signer('same')];
    const [uriOne, uriTwo] = ['https://one.example.com/jwks', 'https://two.example.com/jwks'];
    const port = new RecordingPort(({ url }) => json({ keys: [url === uriOne ? one.jwk : two.jwk] }));
    const guardrail = compiled([
      { id: 'jwt', parameters: { ...parameters, jwksUri: `${uriOne},${uriTwo}` } },
    ]);
    const ask = async (token: string) =>
      (await judged([guardrail], asking('hi', { headers: { 'x-user': token } }), port)).results[0]?.verdict;
    const from = (iss: string) => ({ ...good, iss });
    expect(await ask(await one.sign(from('https://one.example.com/')))).toBe(true);
    expect(await ask(await two.sign(from('https://two.example.com')))).toBe(true);
    expect(await ask(await two.sign(from('accounts')))).toBe(true);
    expect(await ask(await one.sign(from('https://two.example.com')))).toBe(false);
    expect(await ask(await two.sign(from('https://one.example.com/')))).toBe(false);
  });

  it('does not wait for a URL that never responds while another one does', async () => {
    const { jwk, sign } = await signer('k1');
    const hanging = new Set<AbortSignal>();
    const port = new RecordingPort(({ url, signal }) => {
      if (!url.endsWith('2')) return json({ keys: [jwk] });
      hanging.add(signal);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    });
    const guardrail = compiled([{ id: 'jwt', parameters: { ...parameters, jwksUri: `${URI},${URI}2` } }]);
    const subject = asking('hi', { headers: { 'x-user': await sign(good) } });
    const { results } = await judged([guardrail], subject, port);
    expect(results[0]).toMatchObject({ verdict: true });
    expect([...hanging].map(({ aborted }) => aborted)).toEqual([true]);
  });
});
