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

  const prompt = { name: 'Greeting', string: 'Hello', parameters: {}, virtual_key: 'p', model: 'm' };
  const make = async (path: string, body: object): Promise<Readonly<Record<string, string>>> =>
    (await api.post<Readonly<Record<string, string>>>(path, { key: tenant.key, body })).body;
  /** Sends a request while a transaction deletes a row, and returns the response after the deletion. */
  async function whileDeleted(
    table: 'labels' | 'collections',
    id: string,
    send: () => Promise<GatewayResponse<Failure>>,
  ): Promise<GatewayResponse<Failure> | undefined> {
    const sent: Promise<GatewayResponse<Failure>>[] = [];
    await api.dataSource.transaction(async (manager) => {
      await manager.query(`SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
      sent.push(send());
      await lockWaits(api.dataSource);
      await manager.query(`UPDATE ${table} SET status = 'archived' WHERE id = $1`, [id]);
    });
    return sent[0];
  }

  it('keep a label that is being deleted off the versions of prompts', async () => {
    const { key } = tenant;
    const { slug: collection_id } = await make('/v1/collections', { name: 'All' });
    const { slug = '', version_id = '' } = await make('/v1/prompts', { ...prompt, collection_id });
    const { id: label_id = '' } = await make('/v1/labels', { name: 'going' });
    const refused = await whileDeleted('labels', label_id, () =>
      api.put<Failure>(`/v1/prompts/${slug}/versions/${version_id}`, { key, body: { label_id } }),
    );
    expect(refused?.status).toBe(404);
  });

  it.each<[string, (id: string) => readonly [string, object]]>([
    ['a new prompt', (collection_id) => ['/v1/prompts', { ...prompt, collection_id }]],
    [
      'a new collection',
      (parent_collection_id) => ['/v1/collections', { name: 'Inner', parent_collection_id }],
    ],
  ])('keep %s out of a collection that is being deleted', async (_name, callOf) => {
    const { id = '' } = await make('/v1/collections', { name: 'Going' });
    const [path, body] = callOf(id);
    const refused = await whileDeleted('collections', id, () =>
      api.post<Failure>(path, { key: tenant.key, body }),
    );
    expect(refused?.status).toBe(400);
    expect(refused?.body.error.param).toMatch(/collection_id$/);
  });
});
