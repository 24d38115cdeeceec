import type { Tenant } from '../apps/admin-api/src/spec-support/admin-api';
import { insertCapability } from '../apps/admin-api/src/spec-support/mcp-servers';
import { exportState, type State } from '../apps/cli/src/reconcile';
import { CliTenants } from './spec-support/cli-tenants';

const NAME = { slug: 'tickets', name: 'Tickets', url: 'https://mcp.example.com/mcp' };
const AUTHORIZATION = { env: 'TOLLGATE_MCP_TICKETS_HEADERS_AUTHORIZATION' };

describe('MCP servers in files', () => {
  const tenants = new CliTenants();
  const { admin } = tenants;
  const integration = (headers: object, more: object = {}): State => ({
    mcp_integrations: [{ ...NAME, auth_type: 'headers', configurations: { headers }, ...more }],
  });
  async function workspaceOf(tenant: Tenant): Promise<string> {
    const [{ slug } = {}] = await tenants.clientOf(tenant).all('/v1/workspaces');
    return String(slug);
  }
  /** Returns the configurations that the control plane shows. */
  async function shown(tenant: Tenant): Promise<unknown> {
    const [row] = await tenants.clientOf(tenant).all('/v1/mcp-integrations');
    return row?.['configurations'];
  }

  it('keep secrets whose variables are not set, and lose headers that a file omits', async () => {
    const tenant = await admin.tenant();
    const headers = { authorization: AUTHORIZATION, 'x-team': { env: 'TEAM' } };
    const environment = { [AUTHORIZATION.env]: 'Bearer one-secret', TEAM: 'a-secret' };
    await tenants.apply(tenant, integration(headers), { environment });
    expect(await exportState(tenants.clientOf(tenant))).toMatchObject({
      mcp_integrations: [
        {
          configurations: {
            headers: { authorization: AUTHORIZATION, 'x-team': { env: expect.any(String) } },
          },
        },
      ],
    });
    expect(await tenants.apply(tenant, integration({ authorization: AUTHORIZATION }))).toEqual([
      'update mcp_integrations tickets (configurations)',
    ]);
    expect(await shown(tenant)).toEqual({ headers: { authorization: '*****' } });
    expect(await tenants.apply(tenant, integration({ authorization: AUTHORIZATION }))).toEqual([]);
    // A new header has no saved secret to keep.
    await expect(tenants.apply(tenant, integration(headers))).rejects.toThrow(
      'configurations.headers.x-team',
    );
    // A secret is sent only to the address with which it was saved.
    const moved = integration({ authorization: AUTHORIZATION }, { url: 'https://other.example.com/mcp' });
    await expect(tenants.apply(tenant, moved)).rejects.toThrow('configurations.headers.authorization');
    expect(await tenants.apply(tenant, moved, { environment })).toEqual([
      'update mcp_integrations tickets (url)',
    ]);
  });

  it('lose the secrets of a removed authentication', async () => {
    const tenant = await admin.tenant();
    const environment = { [AUTHORIZATION.env]: 'Bearer one-secret', SECRET: 'a-secret-of-a-client' };
    await tenants.apply(tenant, integration({ authorization: AUTHORIZATION }), { environment });
    const client = {
      ...{ token_endpoint: 'https://login.example.com/token', client_id: 'tollgate' },
      client_secret: { env: 'SECRET' },
    };
    const file = {
      mcp_integrations: [
        {
          ...{ ...NAME, auth_type: 'oauth_client_credentials' },
          configurations: { oauth_client_credentials: client },
        },
      ],
    };
    await tenants.apply(tenant, file, { environment });
    expect(await shown(tenant)).toEqual({
      oauth_client_credentials: { ...client, client_secret: '*****' },
    });
    expect(await tenants.apply(tenant, file)).toEqual([]);
    await tenants.apply(tenant, { mcp_integrations: [{ ...NAME, auth_type: 'none' }] });
    expect(await shown(tenant)).toEqual({});
  });

  it('identify users and trusts of rules by email and name', async () => {
    const tenant = await admin.tenant();
    const ada = await admin.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const workspace = await workspaceOf(tenant);
    const rule = (type: string, id: string): object => ({
      ...{ subject: { type, id }, tools: ['read_*'], effect: 'allow' },
    });
    const file = (address: string): State => ({
      trusts: [
        {
          ...{ name: 'CI', kind: 'workload', issuer: 'https://ci.example.org' },
          jwks_uri: 'https://ci.example.org/jwks.json',
          audiences: [`https://gateway.example.com/${tenant.organisationId}`],
          maps: [{ workspace, scopes: ['mcp.invoke'] }],
        },
      ],
      mcp_integrations: [{ ...NAME, auth_type: 'none', workspace }],
      mcp_servers: [{ workspace, slug: 'tickets', name: 'Tickets', integration: 'tickets' }],
      mcp_server_access: [
        {
          ...{ server: 'tickets', workspace, default: 'deny' },
          rules: [rule('user', address), rule('trust', 'CI')],
        },
      ],
    });
    await tenants.apply(tenant, file(ada.email.toUpperCase()), { dryRun: true, validates: true });
    await tenants.apply(tenant, file(ada.email.toUpperCase()));
    const client = tenants.clientOf(tenant);
    const [server] = await client.all('/v1/mcp-servers', { workspace_id: tenant.workspaceId });
    const [trust] = await client.all('/v1/trusts');
    const rules = await client.call('GET', `/v1/mcp-servers/${String(server?.['id'])}/access-rules`);
    expect(rules).toMatchObject({ rules: [{ subject: { id: ada.id } }, { subject: { id: trust?.['id'] } }] });
    expect(await tenants.apply(tenant, file(ada.email))).toEqual([]);
    const exported = await exportState(client);
    expect(exported['mcp_server_access']).toMatchObject([
      { rules: [rule('user', ada.email), rule('trust', 'CI')] },
    ]);
    await expect(tenants.apply(tenant, file('eve@other.example'))).rejects.toThrow(
      'must be the id of a user',
    );
  });

  it('have toolsets, whose members are named by server slug', async () => {
    const tenant = await admin.tenant();
    const workspace = await workspaceOf(tenant);
    const file = (more: object = {}): State => ({
      mcp_integrations: [{ ...NAME, auth_type: 'none', workspace }],
      mcp_servers: ['tickets', 'wiki'].map((slug) => ({
        ...{ workspace, slug, name: slug, integration: 'tickets' },
      })),
      mcp_toolsets: [
        {
          ...{ workspace, slug: 'desk', name: 'Desk', mode: 'search' },
          members: [
            { server: 'wiki', prefix: '', include: ['read_*'] },
            { server: 'tickets', aliases: { open: 'report' }, overrides: { open: { title: 'Report' } } },
          ],
          ...more,
        },
      ],
    });
    const { mcp_toolsets: toolsets = [], ...servers } = file();
    await tenants.apply(tenant, servers);
    // Names in a toolset must be names of tools.
    await expect(tenants.apply(tenant, file())).rejects.toThrow('members.1.aliases.open');
    const [integrationRow] = await tenants.clientOf(tenant).all('/v1/mcp-integrations');
    await insertCapability(admin.dataSource.manager, String(integrationRow?.['id']), 'open');
    await tenants.apply(tenant, file(), { dryRun: true, validates: true });
    expect(await tenants.apply(tenant, { mcp_toolsets: toolsets })).toHaveLength(1);
    expect(await tenants.apply(tenant, file())).toEqual([]);
    expect(await exportState(tenants.clientOf(tenant))).toMatchObject({
      mcp_toolsets: file()['mcp_toolsets'],
    });
    expect(await tenants.apply(tenant, file({ mode: 'list', members: [{ server: 'tickets' }] }))).toEqual([
      expect.stringContaining(`update mcp_toolsets ${workspace}/desk (`),
    ]);
    const [row] = await tenants
      .clientOf(tenant)
      .all('/v1/mcp-toolsets', { workspace_id: tenant.workspaceId });
    expect(row).toMatchObject({ mode: 'list', members: [{ server: 'tickets', prefix: null, aliases: {} }] });
    expect(await tenants.apply(tenant, { mcp_toolsets: [] }, { prune: true })).toEqual([
      `delete mcp_toolsets ${workspace}/desk ()`,
    ]);
  });

  it('are deleted with their integration only with --force', async () => {
    const tenant = await admin.tenant();
    const workspace = await workspaceOf(tenant);
    await tenants.apply(tenant, {
      mcp_integrations: [{ ...NAME, auth_type: 'none', workspace }],
      mcp_servers: [{ workspace, slug: 'tickets', name: 'Tickets', integration: 'tickets' }],
    });
    const empty = { mcp_integrations: [] };
    const check = { dryRun: true, validates: true, prune: true };
    await expect(tenants.apply(tenant, empty, check)).rejects.toThrow('it is in use');
    expect(await tenants.apply(tenant, { ...empty, mcp_servers: [] }, check)).toEqual([
      `delete mcp_servers ${workspace}/tickets ()`,
      'delete mcp_integrations tickets ()',
    ]);
    expect(await tenants.apply(tenant, empty, { prune: true, force: true })).toEqual([
      'delete mcp_integrations tickets ()',
    ]);
  });
});
