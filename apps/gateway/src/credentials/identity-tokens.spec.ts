import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { documentKey, signingKeyDocumentBinding, type McpServerDocument } from '@gw/contracts';
import { isSigned, readSigningKey, seal, sealingKeyring } from '@gw/kernel';
import type { AccessCaller } from '@gw/mcp';
import { MapDocuments, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';
import { IdentityTokens } from './identity-tokens';

const ISSUER = 'https://gateway.example.com';
const URL_OF_SERVER = 'https://mcp.example.com/mcp';
const USER: AccessCaller = {
  ...{ userId: 'user-1', groups: [], roles: [], keyId: 'key-1', clientId: null, trustId: null },
  ...{ scopes: [], key: null },
};

describe('signed tokens about callers', () => {
  const ring = sealingKeyring(randomBytes(32));
  const documents = new MapDocuments();
  const tokens = new IdentityTokens({ documents, ring });
  const jwk = {
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
    kid: 'k1',
  };
  beforeEach(() => {
    documents.set(documentKey.signingKey(), {
      ...{ kind: 'signing_key', version: '1', issuer: ISSUER, kid: 'k1' },
      sealedPrivate: seal(ring, JSON.stringify(jwk), signingKeyDocumentBinding('k1')),
    });
  });

  const server = (rule: object | null, url = URL_OF_SERVER): McpServerDocument => ({
    ...{ kind: 'mcp_server', version: '1', id: 's1', slug: 's', name: 's', integrationId: 'i1' },
    ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID, integrationSlug: 'i', url },
    ...{ transport: 'http', authType: 'none', sealedAuth: null, timeoutMs: null, server: null },
    configurations: rule === null ? {} : { user_identity_forwarding: rule },
    ...{ capabilities: [], userAccess: { isAllowed: true, exceptions: {} }, rules: [] },
    ...{ defaultEffect: 'allow', guardrails: [], prices: null },
  });
  const read = (part = ''): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  async function claimsFor(
    rule: object,
    caller = USER,
    header = 'x-user-jwt',
  ): Promise<Record<string, unknown>> {
    const { [header]: token = '' } = await tokens.headersOf(server(rule), caller);
    const [head, payload, signature = ''] = token.replace(/^Bearer /, '').split('.');
    expect(read(head)).toEqual({ alg: 'ES256', kid: 'k1', typ: 'JWT' });
    const { d: _d, ...open } = jwk;
    const key = readSigningKey(open);
    const signed = Buffer.from(`${String(head)}.${String(payload)}`);
    const parts = { algorithm: 'ES256', signed, signature: Buffer.from(signature, 'base64url') };
    expect(key !== null && isSigned(key, parts)).toBe(true);
    return read(payload);
  }

  it('are valid for one server and for five minutes, and name the user and the client', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const claims = await claimsFor({ method: 'jwt_header' }, { ...USER, clientId: 'client-1', keyId: null });
    expect(claims).toMatchObject({
      ...{ iss: ISSUER, aud: URL_OF_SERVER, sub: 'user-1', act: { sub: 'client-1' } },
      ...{ organisation_id: ORGANISATION_ID, workspace_id: WORKSPACE_ID, api_key_id: null },
    });
    expect(Number(claims['iat'])).toBeGreaterThanOrEqual(now);
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(300);
    const again = await claimsFor({ method: 'jwt_header' });
    expect(again['jti']).not.toBe(claims['jti']);
    expect(again).not.toHaveProperty('act');
  });

  it('have the claims and the lifetime that the integration configures, and always a subject', async () => {
    const rule = { method: 'jwt_header', include_claims: ['workspace_id'], jwt_expiry_seconds: 60 };
    const claims = await claimsFor({ ...rule, header_name: 'X-Identity' }, USER, 'x-identity');
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub', 'workspace_id']);
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(60);
  });

  it('are the bearer token of servers whose integration configures that', async () => {
    expect(await claimsFor({ method: 'bearer' }, USER, 'authorization')).toMatchObject({ sub: 'user-1' });
  });

  it('never name a caller without a user as if it were a user', async () => {
    const key = { ...USER, userId: null };
    expect(await claimsFor({ method: 'jwt_header' }, key)).toMatchObject({ sub: 'api_key:key-1' });
    const trust = { ...key, keyId: null, trustId: 'trust-1' };
    expect(await claimsFor({ method: 'jwt_header' }, trust)).toMatchObject({ sub: 'trust:trust-1' });
  });

  it('are not made for servers without the rule, for claims in a header, nor over plain HTTP', async () => {
    for (const each of [
      server(null),
      server({ method: 'claims_header' }),
      server({ method: 'bearer' }, 'http://mcp.example.com/mcp'),
    ])
      expect(await tokens.headersOf(each, USER)).toEqual({});
  });

  it('are refused without a key, rather than sent unsigned', async () => {
    documents.remove(documentKey.signingKey());
    await expect(tokens.headersOf(server({ method: 'bearer' }), USER)).rejects.toMatchObject({
      type: 'provider_credential_failed',
    });
  });
});
