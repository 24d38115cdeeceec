import { TestAdminApi } from '../../spec-support/admin-api';
import { createKey, type List } from '../../spec-support/api-keys';
import { createIntegration } from '../../spec-support/integrations';

interface Used {
  readonly id: string;
  readonly slug: string;
  readonly used_by?: Readonly<Record<string, number | boolean>>;
}

const NONE = { api_keys: 0, workspaces: 0, configs: 0, guardrails: 0, prompts: 0, organisation: false };
const CHECKS = [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }];

const admin = new TestAdminApi();
const ours = admin.sharedTenant();
const theirs = admin.sharedTenant();

async function post<T>(path: string, body: object, key = ours.key): Promise<T> {
  const response = await admin.post<T>(path, { key, body });
  if (response.status !== 200) throw new Error(`POST ${path}: ${response.text}`);
  return response.body;
}
const used = async (path: string, key = ours.key): Promise<Used['used_by']> =>
  (await admin.get<Used>(path, { key })).body.used_by;
const listed = async (path: string): Promise<Record<string, Used['used_by']>> => {
  const { body } = await admin.get<List<Used>>(`${path}?include_used_by=true`, { key: ours.key });
  return Object.fromEntries(body.data.map(({ slug, used_by: uses }) => [slug, uses]));
};
const config = (name: string, content: object, key = ours.key): Promise<Used> =>
  post('/v1/configs', { name, slug: name, config: content }, key);

beforeAll(async () => {
  for (const { key } of [ours, theirs]) {
    await createIntegration(admin, key, { name: 'main', slug: 'main' });
    await post('/v1/providers', { name: 'spare', slug: 'spare', integration_id: 'main' }, key);
    await post('/v1/guardrails', { name: 'words', slug: 'words', checks: CHECKS }, key);
    await config(
      'by-provider',
      { strategy: { mode: 'fallback' }, targets: [{ provider: '@main' }, { provider: '@main' }] },
      key,
    );
    await config('by-model', { override_params: { model: '@main/gpt-5' } }, key);
    await config('by-guardrail', { input_guardrails: ['words'] }, key);
  }
});

describe('used_by', () => {
  it('counts keys, workspaces and guardrails of a config', async () => {
    const { id } = await config('everywhere', { retry: { attempts: 1 }, provider: '@spare' });
    expect(await used('/v1/configs/everywhere')).toEqual(NONE);
    const first = await createKey(admin, ours.key, { defaults: { config_id: id } });
    await createKey(admin, ours.key, { defaults: { config_id: id } });
    await admin.put('/v1/configs/everywhere', { key: ours.key, body: { isDefault: 1 } });
    await admin.put(`/v1/workspaces/${ours.workspaceId}`, {
      key: ours.adminKey,
      body: { defaults: { user_api_key_config: id } },
    });
    const uses = { ...NONE, api_keys: 2, workspaces: 1 };
    expect(await used('/v1/configs/everywhere')).toEqual(uses);
    expect(await used(`/v1/configs/${id}`, ours.adminKey)).toEqual(uses);
    expect(await listed('/v1/configs')).toMatchObject({ everywhere: uses, 'by-model': NONE });
    await admin.delete(`/v1/api-keys/${first.id}`, { key: ours.key });
    expect(await used('/v1/configs/everywhere')).toEqual({ ...uses, api_keys: 1 });
  });

  it('counts each config that names a provider once, by slug and before a model', async () => {
    expect(await used('/v1/providers/main')).toEqual({ ...NONE, configs: 2 });
    expect(await listed('/v1/providers')).toEqual({
      main: { ...NONE, configs: 2 },
      spare: { ...NONE, configs: 1 },
    });
    await admin.put('/v1/configs/by-model', { key: ours.key, body: { config: { retry: { attempts: 1 } } } });
    expect(await used('/v1/providers/main')).toEqual({ ...NONE, configs: 1 });
  });

  it('counts configs and defaults that name a guardrail', async () => {
    expect(await used('/v1/guardrails/words')).toEqual({ ...NONE, configs: 1 });
    await admin.put(`/v1/workspaces/${ours.workspaceId}`, {
      key: ours.adminKey,
      body: { defaults: { input_guardrails: ['words'], output_guardrails: ['words'] } },
    });
    const uses = { ...NONE, configs: 1, workspaces: 1 };
    expect(await used('/v1/guardrails/words')).toEqual(uses);
    expect(await listed('/v1/guardrails')).toEqual({ words: uses });
  });

  it("counts for an organisation's guardrail only the uses that the caller can reach", async () => {
    const made = await post<Used>(
      '/v1/guardrails',
      { name: 'common', slug: 'common', checks: CHECKS },
      ours.adminKey,
    );
    const sibling = await admin.workspace(ours.organisationId);
    await post(
      '/v1/configs',
      { name: 'far', slug: 'far', config: { output_guardrails: [{ id: made.id }] }, workspace_id: sibling },
      ours.adminKey,
    );
    await admin.put('/v1/admin/organisation/defaults', {
      key: ours.adminKey,
      body: { input_guardrails: ['common'] },
    });
    expect(await used(`/v1/guardrails/${made.id}`, ours.adminKey)).toMatchObject({ configs: 1 });
    expect(await used(`/v1/guardrails/${made.id}`)).toMatchObject({ configs: 0 });
  });

  it('is absent from lists without include_used_by', async () => {
    const { body } = await admin.get<List<Used>>('/v1/providers', { key: ours.key });
    expect(body.data.map((row) => row.used_by)).toEqual([undefined, undefined]);
  });
});
