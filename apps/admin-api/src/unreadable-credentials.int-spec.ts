import {
  AgentIntegrationEntity,
  IntegrationEntity,
  McpIntegrationEntity,
  McpServerEntity,
  OauthClientEntity,
  PluginEntity,
  SecretReferenceEntity,
  SsoConnectionEntity,
} from '@gw/entities';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { TestAdminApi, type GatewayResponse } from './spec-support/admin-api';
import { insertAgentIntegration } from './spec-support/agent-servers';
import { createIntegration } from './spec-support/integrations';

interface Shown {
  readonly id: string;
  readonly slug: string;
  readonly error?: { readonly type: string; readonly param: string; readonly message: string };
}

/** A sealed value of a master key that the installation no longer has. */
const LOST = 'v1.lost.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const OK = [200, undefined];

describe('resources whose stored credentials cannot be opened', () => {
  const api = new TestAdminApi({ PUBLIC_URL: 'https://gateway.example.org' });
  const tenant = api.sharedTenant();
  const key = (): { key: string } => ({ key: tenant.adminKey });
  const lose = (entity: EntityTarget<ObjectLiteral>, id: string, column: string): Promise<unknown> =>
    api.dataSource.manager.update(entity, { id }, { [column]: LOST });
  const stored = async (entity: EntityTarget<ObjectLiteral>, id: string, column: string): Promise<unknown> =>
    (await api.dataSource.manager.findOneByOrFail(entity, { id }))[column];
  const outcome = ({ status, body }: GatewayResponse<Shown>): unknown[] => [status, body.error?.param];
  const put = async (path: string, body: object): Promise<unknown[]> =>
    outcome(await api.put<Shown>(path, { ...key(), body }));
  const read = async (...paths: string[]): Promise<number[]> => {
    const responses = await Promise.all(paths.map((path) => api.get(path, key())));
    return responses.map(({ status }) => status);
  };
  const remove = async (path: string): Promise<number> => (await api.delete(path, key())).status;

  it('as a provider key are shown, changed, replaced and deleted, and a test returns 409', async () => {
    const { id, slug } = await createIntegration(api, tenant.adminKey);
    const path = `/v1/integrations/${slug}`;
    await lose(IntegrationEntity, id, 'sealedCredential');
    expect(await read('/v1/integrations', path)).toEqual([200, 200]);
    expect(await put(path, { name: 'Renamed' })).toEqual(OK);
    expect(await put(path, { configurations: {} })).toEqual(OK);
    expect(await stored(IntegrationEntity, id, 'sealedCredential')).toBe(LOST);
    const test = { ...key(), body: { integration: slug } };
    const tested = await api.post<Shown>('/v1/integrations/test', test);
    expect([tested.status, tested.body.error?.type]).toEqual([409, 'conflict']);
    expect(await put(path, { configurations: { custom_host: 'https://other.example.org' } })).toEqual([
      400,
      'key',
    ]);
    expect(await put(path, { key: 'sk-another-0123456789' })).toEqual(OK);
    expect(await stored(IntegrationEntity, id, 'sealedCredential')).not.toBe(LOST);
    await lose(IntegrationEntity, id, 'sealedCredential');
    expect(await remove(path)).toBe(200);
  });

  it('as several fields of a provider must be sent again together', async () => {
    const fields = {
      aws_access_key_id: 'AKIA0123456789ABCDEF',
      aws_secret_access_key: 'a-secret-access-key-0123',
      aws_session_token: 'a-session-token-0123',
      aws_region: 'eu-central-1',
    };
    const more = { ai_provider_id: 'bedrock', key: undefined, configurations: fields };
    const { id, slug } = await createIntegration(api, tenant.adminKey, more);
    const path = `/v1/integrations/${slug}`;
    await lose(IntegrationEntity, id, 'sealedCredential');
    const { aws_session_token, aws_secret_access_key, aws_access_key_id } = fields;
    const [status, param] = await put(path, { configurations: { aws_session_token } });
    expect([status, String(param)]).toEqual([400, expect.stringMatching(/^configurations\.aws_/)]);
    const all = { aws_session_token: null, aws_secret_access_key, aws_access_key_id };
    expect(await put(path, { configurations: all })).toEqual(OK);
    expect(await remove(path)).toBe(200);
  });

  it('as headers of a provider stay when a response is sent back, which shows some of them', async () => {
    const custom_headers = { authorization: 'Bearer 0123456789', 'x-team': 'search' };
    const more = {
      key: undefined,
      configurations: { custom_host: 'https://llm.example.org', custom_headers },
    };
    const { id, slug } = await createIntegration(api, tenant.adminKey, more);
    const path = `/v1/integrations/${slug}`;
    await lose(IntegrationEntity, id, 'sealedCredential');
    const { body } = await api.get<{ configurations: object }>(path, key());
    expect(body.configurations).toMatchObject({
      custom_headers: { ...custom_headers, authorization: '*****' },
    });
    expect(await put(path, { name: 'Renamed', configurations: body.configurations })).toEqual(OK);
    expect(await stored(IntegrationEntity, id, 'sealedCredential')).toBe(LOST);
    const changed = { ...custom_headers, authorization: '*****', 'x-team': 'chat' };
    expect(await put(path, { configurations: { custom_headers: changed } })).toEqual([
      400,
      'configurations.custom_headers.authorization',
    ]);
    expect(await put(path, { configurations: { custom_headers } })).toEqual(OK);
    expect(await stored(IntegrationEntity, id, 'sealedCredential')).not.toBe(LOST);
  });

  it('as a virtual key are shown, changed, replaced and deleted', async () => {
    const at = `?workspace_id=${tenant.workspaceId}`;
    const body = { name: 'VK', provider: 'openai', key: 'sk-virtual-0123456789' };
    const made = await api.post<{ data: Shown }>(`/v1/virtual-keys${at}`, { ...key(), body });
    const path = `/v1/virtual-keys/${made.body.data.slug}${at}`;
    const [row] = await api.dataSource.manager.findBy(IntegrationEntity, { isVirtualKey: true });
    const id = row?.id ?? '';
    await lose(IntegrationEntity, id, 'sealedCredential');
    expect(await read(`/v1/virtual-keys${at}`, path)).toEqual([200, 200]);
    expect(await put(path, { name: 'Renamed' })).toEqual(OK);
    expect(await put(path, { key: 'sk-replaced-0123456789' })).toEqual(OK);
    expect(await stored(IntegrationEntity, id, 'sealedCredential')).not.toBe(LOST);
    await lose(IntegrationEntity, id, 'sealedCredential');
    expect(await remove(path)).toBe(200);
  });

  const headers = (values: Record<string, string>): object => ({ configurations: { headers: values } });

  it('of an MCP integration are shown, changed, replaced and deleted, and a reading names the reason', async () => {
    const body = {
      ...{ name: 'Files', url: 'https://mcp.example.org/mcp', transport: 'http', auth_type: 'headers' },
      ...headers({ authorization: 'Bearer 0123456789', 'x-team': 'a-team-0123456789' }),
    };
    const { body: made } = await api.post<Shown>('/v1/mcp-integrations', { ...key(), body });
    const path = `/v1/mcp-integrations/${made.slug}`;
    await lose(McpIntegrationEntity, made.id, 'sealedAuth');
    expect(await read('/v1/mcp-integrations', path, `${path}/versions`)).toEqual([200, 200, 200]);
    expect(await put(path, { name: 'Renamed' })).toEqual(OK);
    expect(await put(path, { configurations: { forward_headers: ['x-request'] } })).toEqual(OK);
    expect(await stored(McpIntegrationEntity, made.id, 'sealedAuth')).toBe(LOST);
    const synced = await api.post<Shown>(`${path}/sync`, { ...key(), body: {} });
    expect([synced.status, synced.body.error?.type]).toEqual([502, 'mcp_server_unreadable']);
    expect(synced.body.error?.message).toContain('cannot be opened');
    const partly = headers({ authorization: 'Bearer 9876543210', 'x-team': '*****' });
    expect(await put(path, partly)).toEqual([400, 'configurations.headers.x-team']);
    const [moved, param] = await put(path, { url: 'https://other.example.org/mcp' });
    expect([moved, String(param)]).toEqual([400, expect.stringMatching(/^configurations\.headers\./)]);
    expect(await put(path, headers({ authorization: 'Bearer 9876543210' }))).toEqual(OK);
    expect(await stored(McpIntegrationEntity, made.id, 'sealedAuth')).not.toBe(LOST);
    await lose(McpIntegrationEntity, made.id, 'sealedAuth');
    expect(await put(path, { auth_type: 'none' })).toEqual(OK);
    await lose(McpIntegrationEntity, made.id, 'sealedAuth');
    expect(await remove(path)).toBe(200);
    expect(await api.dataSource.manager.countBy(McpServerEntity, { integrationId: made.id })).toBe(0);
  });

  it('of an MCP client stay when its other fields change', async () => {
    const client = { client_id: 'tollgate', token_endpoint: 'https://as.example.org/token' };
    const secret = { client_secret: 'a-client-secret-0123' };
    const body = {
      ...{ name: 'Client', url: 'https://mcp.example.org/mcp', transport: 'http' },
      auth_type: 'oauth_client_credentials',
      configurations: { oauth_client_credentials: { ...client, ...secret } },
    };
    const { body: made } = await api.post<Shown>('/v1/mcp-integrations', { ...key(), body });
    const path = `/v1/mcp-integrations/${made.slug}`;
    await lose(McpIntegrationEntity, made.id, 'sealedAuth');
    const changed = (more: object): object => ({
      configurations: { oauth_client_credentials: { ...client, ...more } },
    });
    expect(await put(path, changed({ scope: 'read' }))).toEqual(OK);
    expect(await stored(McpIntegrationEntity, made.id, 'sealedAuth')).toBe(LOST);
    expect(await put(path, changed(secret))).toEqual(OK);
    expect(await stored(McpIntegrationEntity, made.id, 'sealedAuth')).not.toBe(LOST);
  });

  it('of an agent integration are shown, changed, replaced and deleted', async () => {
    const { organisationId } = tenant;
    const row = await insertAgentIntegration(
      api.dataSource.manager,
      { organisationId },
      {
        ...{ authType: 'headers', sealedAuth: LOST, maskedAuth: { headers: { authorization: '*****' } } },
      },
    );
    const path = `/v1/agent-integrations/${row.slug}`;
    expect(await read('/v1/agent-integrations', path)).toEqual([200, 200]);
    expect(await put(path, { name: 'Renamed' })).toEqual(OK);
    expect(await stored(AgentIntegrationEntity, row.id, 'sealedAuth')).toBe(LOST);
    expect(await put(path, headers({ authorization: 'Bearer 0123456789' }))).toEqual(OK);
    expect(await stored(AgentIntegrationEntity, row.id, 'sealedAuth')).not.toBe(LOST);
    await lose(AgentIntegrationEntity, row.id, 'sealedAuth');
    expect(await remove(path)).toBe(200);
  });

  it('of a secret reference are shown, changed, replaced and deleted, and a test returns 409', async () => {
    const auth = { vault_auth_type: 'token', vault_addr: 'https://vault.example.org' };
    const body = {
      ...{ name: 'Vault', manager_type: 'hashicorp_vault', secret_path: 'secret/data/openai' },
      auth_config: { ...auth, vault_token: 'hvs.0123456789abcdef' },
    };
    const { body: made } = await api.post<Shown>('/v1/secret-references', { ...key(), body });
    const path = `/v1/secret-references/${made.slug}`;
    await lose(SecretReferenceEntity, made.id, 'sealedAuth');
    expect(await read('/v1/secret-references', path)).toEqual([200, 200]);
    expect(await put(path, { name: 'Renamed' })).toEqual(OK);
    expect(await put(path, { auth_config: auth })).toEqual(OK);
    expect(await stored(SecretReferenceEntity, made.id, 'sealedAuth')).toBe(LOST);
    const tested = await api.post<Shown>(`${path}/test`, key());
    expect([tested.status, tested.body.error?.type]).toEqual([409, 'conflict']);
    const moved = { auth_config: { ...auth, vault_addr: 'https://other.example.org' } };
    expect(await put(path, moved)).toEqual([400, 'auth_config.vault_token']);
    expect(await put(path, { auth_config: { vault_token: 'hvs.fedcba9876543210' } })).toEqual(OK);
    expect(await stored(SecretReferenceEntity, made.id, 'sealedAuth')).not.toBe(LOST);
    await lose(SecretReferenceEntity, made.id, 'sealedAuth');
    expect(await remove(path)).toBe(200);
  });

  it('of a partner account are replaced and deleted, and guardrails that need them get 409', async () => {
    const body = { plugin_provider_id: 'lakera', credentials: { apiKey: 'partner-0123456789' } };
    const { body: made } = await api.post<Shown>('/v1/plugins', { ...key(), body });
    const path = `/v1/plugins/${made.id}`;
    await lose(PluginEntity, made.id, 'sealedCredentials');
    expect(await read('/v1/plugins')).toEqual([200]);
    const checks = [{ id: 'lakera.guard', parameters: {} }];
    const guardrail = { name: 'Partner', checks, actions: {} };
    const at = `/v1/guardrails?workspace_id=${tenant.workspaceId}`;
    const refused = await api.post<Shown>(at, { ...key(), body: guardrail });
    expect([refused.status, refused.body.error?.type]).toEqual([409, 'conflict']);
    expect(await put(path, { credentials: { apiKey: 'partner-9876543210' } })).toEqual(OK);
    await lose(PluginEntity, made.id, 'sealedCredentials');
    expect(await put(path, { status: 'archived' })).toEqual(OK);
  });

  it('of an SSO connection refuse a test login with the reason', async () => {
    const path = '/v1/admin/organisation/sso-connections';
    const body = {
      name: 'IdP',
      issuer: 'https://idp.example.org',
      client_id: 'x',
      client_secret: 'a secret',
    };
    const { body: made } = await api.post<Shown>(path, { ...key(), body });
    await lose(SsoConnectionEntity, made.id, 'sealedSecrets');
    const tested = await api.post<Shown>(`${path}/${made.id}/test`, key());
    expect([tested.status, tested.body.error?.type]).toEqual([403, 'sso_login_refused']);
    expect(tested.body.error?.message).toContain('cannot be opened');
  });

  it('of an OAuth client refuse its authentication until it gets another secret', async () => {
    const body = {
      ...{ name: 'App', redirect_uris: ['https://app.example.org/back'] },
      token_endpoint_auth_method: 'client_secret_post',
    };
    const path = '/v1/admin/organisation/oauth-clients';
    const made = await api.post<Shown & { client_secret: string }>(path, { ...key(), body });
    const { id, client_secret: first } = made.body;
    await lose(OauthClientEntity, id, 'sealedSecret');
    const revoke = async (secret: string): Promise<number> => {
      const payload = new URLSearchParams({ token: 'x', client_id: id, client_secret: secret }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return (await api.api.app.inject({ method: 'POST', url: '/oauth/revoke', headers, payload }))
        .statusCode;
    };
    expect(await revoke(first)).toBe(401);
    const rotated = await api.post<{ client_secret: string }>(`${path}/${id}/rotate`, key());
    expect([rotated.status, await revoke(rotated.body.client_secret)]).toEqual([200, 200]);
  });
});
