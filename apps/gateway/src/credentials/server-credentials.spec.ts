import { createHash, randomBytes } from 'node:crypto';
import { IssuedCredentials } from '@gw/cloud-identities';
import { mcpAuthBinding, type McpAuthContent } from '@gw/contracts';
import { newProofKey, readProofKey, seal, sealingKeyring } from '@gw/kernel';
import { STUB_IDENTITY, StubTokenServices } from '@gw/testing';
import { EmbeddedJWK, jwtVerify } from 'jose';
import {
  ServerCredentials,
  type ServerCredentialParts,
  type SignedInServer,
  type UserToken,
} from './server-credentials';

const OWNER = { organisationId: 'organisation', integrationId: 'integration' };
const KEY = STUB_IDENTITY.keyFile.private_key;

describe('a client that signs assertions', () => {
  const ring = sealingKeyring(randomBytes(32));
  let services: StubTokenServices;

  beforeAll(async () => {
    services = await StubTokenServices.start();
  });
  afterAll(() => services.stop());

  const serverWith = (content: McpAuthContent, more: object = {}): SignedInServer => ({
    ...{ ...OWNER, workspaceId: 'workspace', url: 'https://mcp.example.com/mcp' },
    authType: 'oauth_client_credentials',
    configurations: {
      oauth_client_credentials: {
        ...{ token_endpoint: `${services.origin}/oauth`, issuer: `${services.origin}/oauth` },
        ...{ client_id: STUB_IDENTITY.oauthClient, auth_method: 'private_key_jwt', key_id: 'one', ...more },
      },
    },
    sealedAuth: seal(
      ring,
      JSON.stringify(content),
      mcpAuthBinding(OWNER.organisationId, OWNER.integrationId),
    ),
  });
  const credentials = (more: Partial<ServerCredentialParts<SignedInServer>> = {}) =>
    new ServerCredentials<SignedInServer>({
      issued: new IssuedCredentials({
        ...{ calls: services.calls([]), settings: {} as never, now: Date.now },
        readFile: () => Promise.reject(new Error('No file is read.')),
      }),
      identity: { isWanted: () => false } as never,
      ...{ ring, bindingOf: mcpAuthBinding, secrets: {} as never },
      tokenOf: () => Promise.reject(new Error('No user signs in.')),
      ...more,
    });
  const bodies = (): readonly string[] => services.stub.requests.map(({ body }) => body.toString());

  it('gets a token without sending its key', async () => {
    const headers = await credentials().headersOf(serverWith({ privateKey: KEY }), null);
    expect(headers).toEqual({ authorization: 'Bearer oauth-token-1' });
    const [form] = bodies().map((body) => new URLSearchParams(body));
    expect([form?.get('client_id'), form?.has('client_secret')]).toEqual([STUB_IDENTITY.oauthClient, false]);
    expect(bodies().join()).not.toContain('PRIVATE');
  });

  it('takes its key from a secret manager', async () => {
    const location = { managerType: 'vendor3_vault' } as never;
    const uses = [{ target: 'private_key', format: 'text', location }] as never;
    const secrets = { resolve: () => Promise.resolve(KEY) } as never;
    const headers = await credentials({ secrets }).headersOf(serverWith({ secrets: uses }), null);
    expect(headers).toEqual({ authorization: expect.stringMatching(/^Bearer oauth-token-/) });
  });

  it('sends nothing without its key, and no secret in its place', async () => {
    const before = bodies().length;
    const server = serverWith({ clientSecret: STUB_IDENTITY.oauthSecret });
    await expect(credentials().headersOf(server, null)).rejects.toMatchObject({
      type: 'provider_credential_failed',
    });
    expect(bodies()).toHaveLength(before);
  });

  it('never sends its key as a secret', async () => {
    const server = serverWith({ privateKey: KEY }, { auth_method: 'client_secret_post' });
    await expect(credentials().headersOf(server, null)).rejects.toMatchObject({
      type: 'provider_credential_failed',
    });
    expect(bodies().join()).not.toContain('PRIVATE');
  });
});

describe('the token of a user that is bound to a key', () => {
  const server = {
    ...{ ...OWNER, workspaceId: 'workspace', url: 'https://mcp.example.com/mcp', configurations: {} },
    ...{ authType: 'oauth_auto' as const, sealedAuth: null },
  };
  const at = { method: 'POST', url: 'https://mcp.example.com/mcp?a=1', body: null, nonce: 'n-1' };
  const credentialsWith = (token: UserToken) =>
    new ServerCredentials<SignedInServer>({
      ...{ identity: { isWanted: () => false } as never, bindingOf: mcpAuthBinding },
      ...{ ring: {} as never, secrets: {} as never, issued: {} as never },
      tokenOf: () => Promise.resolve(token),
    });

  it('is sent with a proof for that one request', async () => {
    const proofKey = readProofKey(await newProofKey());
    const headers = await credentialsWith({ accessToken: 'the-token', proofKey }).headersOf(server, null, at);
    expect(headers['authorization']).toBe('DPoP the-token');
    const { payload } = await jwtVerify(headers['dpop'] ?? '', EmbeddedJWK);
    expect(payload).toMatchObject({ htm: 'POST', htu: 'https://mcp.example.com/mcp', nonce: 'n-1' });
    expect(payload['ath']).toBe(createHash('sha256').update('the-token').digest('base64url'));
  });

  it('is never sent as a bearer token', async () => {
    const proofKey = readProofKey(await newProofKey());
    const headers = await credentialsWith({ accessToken: 'the-token', proofKey }).headersOf(server, null);
    expect(headers).toEqual({ authorization: 'DPoP the-token' });
  });

  it('has no proof if it is a bearer token', async () => {
    const headers = await credentialsWith({ accessToken: 'a', proofKey: null }).headersOf(server, null, at);
    expect(headers).toEqual({ authorization: 'Bearer a' });
  });
});
