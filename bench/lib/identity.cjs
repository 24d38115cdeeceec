'use strict';

/**
 * Measures how much more a caller with a token costs than one with an API key: one gateway, the same request with each kind of
 * credential, all of them cached, in interleaved rounds. Only figures of one run are comparable.
 */
const { generateKeyPairSync, randomBytes, sign } = require('node:crypto');
const { join } = require('node:path');
const { contestant, startGateway } = require('./contestants.cjs');
const { CONFIG, ORGANISATION, WORKSPACE, contractsOf, kernelOf } = require('./documents.cjs');
const { differences } = require('./features.cjs');
const { query } = require('./processes.cjs');
const { cpuOf, median } = require('./report.cjs');

/** Highest cost of a cached token above an API key, in microseconds of CPU per request. */
const BAR_US = 15;
const LIFE_S = 7_200;
const AUDIENCE = `https://gateway.example.com/${ORGANISATION}`;
const KEY_ID = 'bench';
const SCOPES = ['completions.write'];

/** @param {object} value */
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Creates the key pair of an issuer. Returns its public JWK and a function that signs claims with RS256. */
function issuerKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' };
  const signed = (/** @type {object} */ claims) => {
    const now = Math.floor(Date.now() / 1_000);
    const all = { aud: AUDIENCE, iat: now, exp: now + LIFE_S, ...claims };
    const text = `${encoded({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })}.${encoded(all)}`;
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
  };
  return { jwk, signed };
}

/**
 * @param {string} id
 * @param {string} tokenKind
 * @param {string} issuer
 * @param {object} jwk
 * @param {object} map
 */
const trust = (id, tokenKind, issuer, jwk, map) => ({
  id,
  organisationId: ORGANISATION,
  name: tokenKind,
  tokenKind,
  preset: null,
  issuer,
  jwksUrls: [],
  keys: [jwk],
  audiences: [AUDIENCE],
  algorithms: ['RS256'],
  conditions: [],
  maps: [{ conditions: [], workspaceId: WORKSPACE, scopes: SCOPES, metadata: {}, ...map }],
  maxTtl: 86_400,
});

/**
 * Returns documents and tokens of a trust of kind `jwt`, of one for workloads, and of a grant of the OAuth server.
 * @param {string} build
 * @param {Buffer} master
 */
function callers(build, master) {
  /** @type {typeof import('../../libs/trusts/src/index.ts')} */
  const { issuerDigest } = require(join(build, 'libs/trusts/src'));
  /** @type {typeof import('../../libs/oauth/src/index.ts')} */
  const { accessTokenHash } = require(join(build, 'libs/oauth/src'));
  const { documentKey } = contractsOf(build);
  const { oauthPepper } = kernelOf(build);
  const { jwk, signed } = issuerKey();
  const [idp, forge] = ['https://idp.example.com', 'https://token.actions.example.com'];
  const access = `pat_${randomBytes(32).toString('base64url')}`;
  const conditions = [
    { claim: '/repository_id', op: 'equals', value: '74' },
    { claim: '/ref', op: 'glob-end', value: 'refs/heads/*' },
  ];
  const rules = [
    trust('0b000000-0000-4000-8000-200000000001', 'jwt', idp, jwk, {}),
    trust('0b000000-0000-4000-8000-200000000002', 'workload', forge, jwk, {
      conditions,
      metadata: { run: '/run_id' },
    }),
  ];
  const documents = [
    ...rules.map((rule) => [
      documentKey.trusts(issuerDigest(rule.issuer)),
      { kind: 'trusts', version: '1', trusts: [rule] },
    ]),
    [
      documentKey.accessToken(accessTokenHash(oauthPepper(master), access) ?? ''),
      {
        kind: 'access_token',
        version: '1',
        grantId: '0b000000-0000-4000-8000-200000000003',
        clientId: 'gw_bench',
        clientName: 'Editor',
        userId: '0b000000-0000-4000-8000-200000000004',
        organisationId: ORGANISATION,
        workspaceId: WORKSPACE,
        resourcePath: '/v1',
        scopes: SCOPES,
        expiresAt: new Date(Date.now() + LIFE_S * 1_000).toISOString(),
      },
    ],
  ];
  const run = { repository_id: '74', ref: 'refs/heads/main', run_id: '1001' };
  /** @type {Record<string, [name: string, token: string]>} */
  const tokens = {
    jwt: ['JWT of a trust', signed({ iss: idp, sub: 'u-1', email_id: 'ann@example.com' })],
    access: ['access token of the OAuth server', access],
    workload: ['workload token', signed({ iss: forge, sub: 'repo:acme/app:ref:refs/heads/main', ...run })],
  };
  return { documents, tokens };
}

/** @param {import('./features.cjs').Run & { common: import('./contestants.cjs').Common }} options */
async function identity({ common, say, ...run }) {
  const { newControlPlane, ...rest } = common;
  const [controlPlane, master] = [await newControlPlane(), randomBytes(32)];
  const { documents, tokens } = callers(rest.build, master);
  await query(controlPlane.child, { documents });
  const own = await startGateway({ ...rest, controlPlane, master });
  /**
   * @param {string} id
   * @param {string} name
   * @param {Record<string, string>} credentials
   */
  const of = (id, name, credentials) =>
    contestant(id, name, own.child, own.port, { ...credentials, 'x-gw-config': CONFIG });
  const measured = await differences(
    [
      of('baseline', 'API key', { authorization: `Bearer ${own.keys.unlimited}` }),
      ...Object.entries(tokens).map(([id, [name, token]]) =>
        of(id, name, { authorization: `Bearer ${token}` }),
      ),
    ],
    { ...run, say },
  );
  const bars = measured.figures.slice(1).map(({ id, name, differenceUs }) => {
    const ratio = median(measured.rounds.map((round) => cpuOf(round, id) / cpuOf(round, 'baseline'))) ?? NaN;
    return { name, ratio, differenceUs, held: differenceUs <= BAR_US };
  });
  say('');
  for (const { name, ratio, differenceUs, held } of bars) {
    const figures = `${ratio.toFixed(3)} times an API key, ${differenceUs.toFixed(1)} µs more`;
    say(`${held ? 'held' : 'MISSED'}: ${name}: ${figures} (bar: ${BAR_US} µs)`);
  }
  return { ...measured, bars };
}

module.exports = { identity };
