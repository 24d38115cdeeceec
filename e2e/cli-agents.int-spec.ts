import { exportState, type State } from '../apps/cli/src/reconcile';
import { CliTenants } from './spec-support/cli-tenants';

const CARD = {
  ...{ name: 'Travel', description: 'Books.', version: '1.0.0', url: 'https://agent.example.com/rpc' },
  skills: [{ id: 'book', name: 'Book', description: 'Books.', tags: [] }],
};
const AUTHORIZATION = { env: 'TOLLGATE_AGENT_TRAVEL_HEADERS_AUTHORIZATION' };
const environment = { [AUTHORIZATION.env]: 'Bearer one-secret' };

describe('agents in files', () => {
  const tenants = new CliTenants(environment);
  const { admin } = tenants;
  const integration = (more: object = {}): Readonly<Record<string, unknown>> => ({
    ...{ slug: 'travel', name: 'Travel', url: 'https://agent.example.com', agent_card: CARD },
    ...{ auth_type: 'headers', configurations: { headers: { authorization: AUTHORIZATION } } },
    ...more,
  });

  it('are created with their integration, access and rules, and exported equally without secrets', async () => {
    const tenant = await admin.tenant();
    const ada = await admin.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const [{ slug } = {}] = await tenants.clientOf(tenant).all('/v1/workspaces');
    const workspace = String(slug);
    const file = (more: object = {}): State => ({
      agent_integrations: [integration({ pricing: { per_message_usd: 0.001 }, ...more })],
      agent_integration_access: [{ integration: 'travel', global: { enabled: true } }],
      agent_servers: [
        { ...{ workspace, slug: 'trips', name: 'Trips', listed: 'public' }, integration: 'travel' },
      ],
      agent_server_access: [
        {
          ...{ agent: 'trips', workspace, default: 'deny' },
          rules: [
            { subject: { type: 'user', id: ada.email }, skills: ['book'], effect: 'allow' },
            { subject: { type: 'role', id: 'manager' }, skills: ['*'], effect: 'allow' },
          ],
        },
      ],
    });
    await tenants.apply(tenant, file(), { dryRun: true, validates: true });
    expect(await tenants.apply(tenant, file())).toEqual([
      expect.stringContaining('create agent_integrations travel'),
      expect.stringContaining('update agent_integration_access travel'),
      expect.stringContaining(`create agent_servers ${workspace}/trips`),
      expect.stringContaining('update agent_server_access trips'),
    ]);
    expect(await tenants.apply(tenant, file())).toEqual([]);
    const exported = await exportState(tenants.clientOf(tenant));
    expect(JSON.stringify(exported)).not.toContain('one-secret');
    expect(exported).toMatchObject({
      agent_integrations: [integration()],
      ...{ agent_servers: file()['agent_servers'], agent_server_access: file()['agent_server_access'] },
    });
    expect(await tenants.apply(tenant, file({ push: 'off', pricing: undefined }))).toEqual([
      'update agent_integrations travel (push, pricing)',
    ]);
    const [row] = await tenants.clientOf(tenant).all('/v1/agent-integrations');
    expect(row).toMatchObject({ push: 'off', pricing: null, source: 'manual' });
    expect(row?.['configurations']).toEqual({ headers: { authorization: '*****' } });
  });

  it('keep a secret whose variable is not set, which is sent to no other address', async () => {
    const tenant = await admin.tenant();
    await tenants.apply(tenant, { agent_integrations: [integration()] });
    const renamed = { agent_integrations: [integration({ name: 'Trips' })] };
    expect(await tenants.apply(tenant, renamed, { environment: {} })).toEqual([
      'update agent_integrations travel (name)',
    ]);
    const moved = integration({
      ...{ name: 'Trips', url: 'https://other.example.com' },
      agent_card: { ...CARD, url: 'https://other.example.com/rpc' },
    });
    const state = { agent_integrations: [moved] };
    await expect(tenants.apply(tenant, state, { environment: {} })).rejects.toThrow('headers.authorization');
    expect(await tenants.apply(tenant, { agent_integrations: [] }, { prune: true })).toEqual([
      'delete agent_integrations travel ()',
    ]);
  });
});
