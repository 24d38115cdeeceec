import { randomBytes } from 'node:crypto';
import { IssuedCredentials } from '@gw/cloud-identities';
import { mcpAuthBinding, type McpAuthContent } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { STUB_IDENTITY, StubTokenServices } from '@gw/testing';
import { ServerCredentials, type ServerCredentialParts, type SignedInServer } from './server-credentials';

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

  it('gets a token, and its key stays here', async () => {
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
