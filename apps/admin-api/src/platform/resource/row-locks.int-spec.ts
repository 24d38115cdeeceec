import { lockWaits } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

const SETTINGS = '/v1/admin/organisation/settings';

describe('row locks', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();

  it('let a policy be created in a workspace while the settings of its organisation change', async () => {
    const { workspaceId, organisationId, adminKey: key } = tenant;
    const policy = {
      ...{ name: 'Team', conditions: [{ key: 'metadata.team', value: ['a'] }], type: 'cost' },
      ...{ group_by: [{ key: 'api_key' }], credit_limit: 100 },
    };
    const changes: Promise<GatewayResponse>[] = [];
    await api.dataSource.transaction(async (manager) => {
      // The transaction acts like the creation of a policy: it holds its workspace, and then refers
      // to the organisation.
      await manager.query(`SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE`, [workspaceId]);
      changes.push(api.put(SETTINGS, { key, body: { workspace_overrides: { logs: false } } }));
      await lockWaits(api.dataSource, { like: 'UPDATE workspaces%' });
      await manager.query(
        `INSERT INTO labels (id, organisation_id, workspace_id, name, status)
         VALUES (gen_random_uuid(), $1, $2, 'held', 'active')`,
        [organisationId, workspaceId],
      );
    });
    const made = await api.post('/v1/policies/usage-limits', { key: tenant.key, body: policy });
    const [changed] = await Promise.all(changes);
    expect([made.status, changed?.status]).toEqual([200, 200]);
  });

  it('let a policy be created in a workspace while the workspaces that skip guardrails change', async () => {
    const { workspaceId, organisationId, adminKey: key } = tenant;
    const body = { workspaces: [{ workspace_id: workspaceId, excluded: true }] };
    const changes: Promise<GatewayResponse>[] = [];
    await api.dataSource.transaction(async (manager) => {
      // The transaction acts like the creation of a policy, as above.
      await manager.query(`SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE`, [workspaceId]);
      changes.push(api.put('/v1/workspace-exclusions/input-guardrails', { key, body }));
      await lockWaits(api.dataSource, { like: 'INSERT%' });
      await manager.query(
        `INSERT INTO labels (id, organisation_id, workspace_id, name, status)
         VALUES (gen_random_uuid(), $1, $2, 'skipping', 'active')`,
        [organisationId, workspaceId],
      );
    });
    const [changed] = await Promise.all(changes);
    expect(changed?.status).toBe(200);
  });

  it('keep a config that is being deleted from becoming the default of a key', async () => {
    const { key } = tenant;
    const config = { name: 'Going', config: { provider: '@openai' } };
    const { body } = await api.post<{ id: string }>('/v1/configs', { key, body: config });
    const created: Promise<GatewayResponse<Failure>>[] = [];
    await api.dataSource.transaction(async (manager) => {
      // The transaction acts like the deletion: it holds the config, and then archives it.
      await manager.query('SELECT 1 FROM configs WHERE id = $1 FOR UPDATE', [body.id]);
      const apiKey = { name: 'k', scopes: ['completions.write'], defaults: { config_id: body.id } };
      created.push(api.post<Failure>('/v1/api-keys/workspace/service', { key, body: apiKey }));
      await lockWaits(api.dataSource, { like: '%KEY SHARE%' });
      await manager.query(`UPDATE configs SET status = 'archived' WHERE id = $1`, [body.id]);
    });
    const [refused] = await Promise.all(created);
    expect([refused?.status, refused?.body.error.param]).toEqual([400, 'defaults.config_id']);
  });

  it('keep a label that is being deleted off the versions of prompts', async () => {
    const { key } = tenant;
    const make = async (path: string, body: object): Promise<Readonly<Record<string, string>>> =>
      (await api.post<Readonly<Record<string, string>>>(path, { key, body })).body;
    const { slug: collection_id } = await make('/v1/collections', { name: 'All' });
    const prompt = { name: 'Greeting', string: 'Hello', parameters: {}, virtual_key: 'p', model: 'm' };
    const { slug, version_id } = await make('/v1/prompts', { ...prompt, collection_id });
    const { id: label_id = '' } = await make('/v1/labels', { name: 'going' });
    const labelled: Promise<GatewayResponse>[] = [];
    await api.dataSource.transaction(async (manager) => {
      // The transaction acts like the deletion: it holds the label, and then archives it.
      await manager.query('SELECT 1 FROM labels WHERE id = $1 FOR UPDATE', [label_id]);
      const path = `/v1/prompts/${slug ?? ''}/versions/${version_id ?? ''}`;
      labelled.push(api.put(path, { key, body: { label_id } }));
      await lockWaits(api.dataSource);
      await manager.query(`UPDATE labels SET status = 'archived' WHERE id = $1`, [label_id]);
    });
    expect((await labelled[0])?.status).toBe(404);
  });
});
