import { INTERNAL } from '@gw/contracts';
import { STUB_ACCESS, StubSecretManagers } from '@gw/testing';
import { openTokens } from '../../platform/mcp/connection-tokens';
import { SERVICE_TOKEN } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { Secrets } from '../../settings';
import { ConnectScene } from './spec-support/connect-scene';

const PATH = '/v1/mcp-integrations';

describe("an integration's client secret in a secret manager", () => {
  const scene = new ConnectScene();
  const { api, ours } = scene;
  const by = { key: ours.adminKey };
  let managers: StubSecretManagers;
  let referenceId: string;
  let client: { readonly client_id: string; readonly client_secret: string };

  beforeAll(async () => {
    managers = await StubSecretManagers.start();
    const registration = await fetch(`${scene.as.issuer}/reg`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({
        redirect_uris: ['https://gateway.example.com/oauth/upstream-callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      }),
    });
    client = (await registration.json()) as typeof client;
    keep(client.client_secret);
    const { body } = await api.post<{ id: string }>('/v1/secret-references', {
      ...by,
      body: {
        ...{ name: 'Client', manager_type: 'vendor3_vault', secret_path: 'secret/data/client' },
        auth_config: {
          ...{ vault_auth_type: 'token', vault_addr: managers.origin, vault_token: STUB_ACCESS.vaultToken },
        },
      },
    });
    referenceId = body.id;
  });
  afterAll(() => managers.stop());

  const keep = (value: string): void => {
    managers.secrets.set('secret/data/client', JSON.stringify({ value }));
  };
  const integration = (oauthMetadata: object): object => ({
    ...{ name: 'Mapped', url: scene.upstream.url, auth_type: 'oauth_auto', transport: 'http' },
    configurations: { oauth_metadata: oauthMetadata },
    secret_mappings: [
      { target_field: 'client_secret', secret_reference_id: referenceId, secret_key: 'value' },
    ],
  });

  /** Adds a server of an integration with the mapped secret; returns the ids of both. */
  async function addServer(): Promise<{ readonly serverId: string; readonly integrationId: string }> {
    const metadata = { client_id: client.client_id, issuer: scene.as.issuer };
    const made = await api.post<{ id: string }>(PATH, { ...by, body: integration(metadata) });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    await api.put(`${PATH}/${made.body.id}/workspaces`, {
      ...by,
      body: { workspaces: [{ id: ours.workspaceId, enabled: true }] },
    });
    const server = await api.post<{ id: string }>('/v1/mcp-servers', {
      key: ours.key,
      body: { name: 'Mapped', mcp_integration_id: made.body.id },
    });
    return { serverId: server.body.id, integrationId: made.body.id };
  }
  async function connect(serverId: string): Promise<string> {
    const user = await scene.addUser();
    await scene.connect({ user, key: await scene.keyOf(user.id), serverId });
    return user.id;
  }
  async function refresh(serverId: string, userId: string): Promise<unknown> {
    const { version } = (await scene.document(userId, serverId)) ?? {};
    const body = { serverId, userId, version };
    return (await api.post(INTERNAL.mcpConnectionRefresh, { token: SERVICE_TOKEN, body })).body;
  }

  it('is read for each request, and is not stored', async () => {
    const { serverId } = await addServer();
    const userId = await connect(serverId);
    const row = await scene.connection(userId, serverId);
    const tokens = openTokens(api.api.app.get(Secrets).sealingKeyring, row as never, row?.sealedTokens ?? '');
    expect(JSON.stringify(tokens)).not.toContain(client.client_secret);
    expect(tokens.client).toMatchObject({ id: client.client_id, secret: null });
    expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'refreshed' });
    keep('another-secret');
    expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'needs_consent' });
    keep(client.client_secret);
  });

  it('requires the name of the authorization server, so that the MCP server cannot name another one', async () => {
    const refused = await api.post<Failure>(PATH, {
      ...by,
      body: integration({ client_id: client.client_id }),
    });
    expect([refused.status, refused.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      ['configurations.oauth_metadata.issuer'],
    ]);
  });

  it('is not sent to the authorization server of an earlier configuration', async () => {
    const { serverId, integrationId } = await addServer();
    const userId = await connect(serverId);
    const before = scene.as.callsOf('/token');
    const body = {
      configurations: {
        oauth_metadata: { client_id: client.client_id, issuer: 'https://other.example.com' },
      },
    };
    expect((await api.put(`${PATH}/${integrationId}`, { ...by, body })).status).toBe(200);
    expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'failed' });
    expect(scene.as.callsOf('/token')).toBe(before);
  });

  it('can be directed to another authorization server only with the right to change secret references', async () => {
    const { integrationId } = await addServer();
    const { organisationId } = ours;
    const scopes = ['organisation_mcp_integrations.update'];
    const key = await api.apiKey('organisation-service', { organisationId }, scopes);
    const put = async (issuer: string): Promise<number> => {
      const configurations = { oauth_metadata: { client_id: client.client_id, issuer } };
      return (await api.put(`${PATH}/${integrationId}`, { key, body: { configurations } })).status;
    };
    expect(await put(scene.as.issuer)).toBe(200);
    expect(await put('https://other.example.com')).toBe(403);
  });

  it('leaves a connection unchanged while the secret manager is unavailable', async () => {
    const { serverId } = await addServer();
    const userId = await connect(serverId);
    managers.secrets.delete('secret/data/client');
    expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'failed' });
    keep(client.client_secret);
    expect(await scene.connection(userId, serverId)).toMatchObject({ status: 'connected' });
  });
});
