import type { PromptDocument, PromptVersionDocument } from '@gw/contracts';
import { AuditLogEntity } from '@gw/entities';
import { SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';

interface Created {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}

interface Failure {
  readonly error: {
    readonly type: string;
    readonly param: string | null;
    readonly details?: readonly { path: string }[];
  };
}

interface Shared {
  readonly access: string;
  readonly workspace_ids: string[];
  readonly unshared_partials: string[];
}

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const other = api.sharedTenant();

/** Two more workspaces of the tenant, each with a key. */
const [team, third] = [
  { id: '', key: '' },
  { id: '', key: '' },
];
let collection = '';
const provider = 'openai-own';

/** Creates the provider that the prompts in this file name. */
async function provide(workspace_id: string): Promise<void> {
  const body = {
    ...{ name: 'OpenAI', ai_provider_id: 'openai', key: 'sk-0123456789abcdef', workspace_id },
    default_provider_slug: provider,
  };
  expect((await api.post('/v1/integrations', { key: tenant.adminKey, body })).status).toBe(200);
}

beforeAll(async () => {
  for (const one of [team, third]) {
    one.id = await api.workspace(tenant.organisationId);
    one.key = await api.apiKey('workspace-service', {
      organisationId: tenant.organisationId,
      workspaceId: one.id,
    });
  }
  collection = (await api.post<Created>('/v1/collections', { key: tenant.key, body: { name: 'All' } })).body
    .id;
  await provide(tenant.workspaceId);
});

const post = <T = Failure>(path: string, body: object, key = tenant.key): ReturnType<typeof api.post<T>> =>
  api.post<T>(`/v1/prompts/${path}`, { key, body });
const make = async (string: string, more: object = {}): Promise<Created> => {
  const body = {
    name: 'P',
    collection_id: collection,
    string,
    parameters: {},
    virtual_key: provider,
    ...more,
  };
  const response = await api.post<Created>('/v1/prompts', { key: tenant.key, body });
  expect(response.status).toBe(200);
  return response.body;
};
const partial = async (string: string): Promise<Created> =>
  (await post<Created>('partials', { name: 'Part', string })).body;
const statusOf = async (path: string, key: string): Promise<number> =>
  (await api.get(`/v1/prompts/${path}`, { key })).status;
const listed = async (kind: string, query: string, key: string): Promise<string[]> => {
  const { body } = await api.get<{ data: Created[] }>(`/v1/${kind}?${query}`, { key });
  return body.data.map(({ id }) => id);
};

async function documents<T>(...keys: string[]): Promise<(T | null)[]> {
  const response = await api.post<{ documents: Record<string, T | null> }>('/internal/v1/documents', {
    token: SERVICE_TOKEN,
    body: { keys },
  });
  return keys.map((key) => response.body.documents[key] ?? null);
}

describe('sharing of prompts and partials', () => {
  it.each(['prompts', 'prompts/partials'])(
    '[CTL-18] of %s gives other workspaces or the organisation read access, without the right to change',
    async (kind) => {
      const path = (rest: string): string => `${kind === 'prompts' ? '' : 'partials/'}${rest}`;
      const { id, slug } = kind === 'prompts' ? await make('a') : await partial('a');
      expect(await statusOf(path(slug), team.key)).toBe(404);
      const shared = await post<Shared>(path(`${slug}/share`), {
        access: 'workspaces',
        workspace_ids: [team.id],
      });
      expect(shared.body).toEqual({ access: 'workspaces', workspace_ids: [team.id], unshared_partials: [] });
      expect([await statusOf(path(slug), team.key), await statusOf(path(slug), third.key)]).toEqual([
        200, 404,
      ]);
      expect(await listed(kind, 'type=shared', team.key)).toEqual([id]);
      expect(await listed(kind, '', team.key)).toEqual([]);
      expect(await listed(kind, 'type=shared', third.key)).toEqual([]);
      for (const [method, rest, body] of [
        ['PUT', '', { name: 'Mine' }],
        ['DELETE', ''],
        ['PUT', '/makeDefault', { version: 1 }],
        ['POST', '/share', { access: 'organisation' }],
        ['POST', '/unshare', {}],
      ] as const) {
        const call = { key: team.key, ...(body ? { body } : {}) };
        expect((await api.call(method, `/v2/${kind}/${slug}${rest}`, call)).status).toBe(403);
      }
      const replaced = await api.put<Shared>(`/v2/${kind}/${slug}/share`, {
        key: tenant.key,
        body: { access: 'workspaces', workspace_ids: [third.id] },
      });
      expect(replaced.body.workspace_ids).toEqual([third.id]);
      expect([await statusOf(path(slug), team.key), await statusOf(path(slug), third.key)]).toEqual([
        404, 200,
      ]);
      const added = await post<Shared>(path(`${slug}/share`), {
        access: 'workspaces',
        workspace_ids: [team.id],
      });
      expect(new Set(added.body.workspace_ids)).toEqual(new Set([team.id, third.id]));
      const { body: list } = await api.get<{ data: object[] }>(
        `/v1/${kind}?show_prompt_share=true&id=${id}`,
        tenant,
      );
      expect(list.data[0]).toMatchObject({
        access_level: 'workspaces',
        shared_workspace_ids: added.body.workspace_ids,
      });
      expect(
        (await post<Shared>(path(`${slug}/unshare`), { workspace_ids: [team.id] })).body.workspace_ids,
      ).toEqual([third.id]);
      expect((await post(path(`${slug}/share`), { access: 'organisation' })).status).toBe(200);
      expect([await statusOf(path(slug), team.key), await statusOf(path(slug), third.key)]).toEqual([
        200, 200,
      ]);
      for (const key of [other.key, other.adminKey]) expect(await statusOf(path(slug), key)).toBe(404);
      expect((await api.delete<Failure>(`/v1/${kind}/${slug}`, tenant)).body.error.details).toMatchObject([
        { path: 'share' },
      ]);
      expect((await api.delete(`/v2/${kind}/${slug}/share`, tenant)).body).toMatchObject({
        access: 'workspace',
      });
      expect(await statusOf(path(slug), team.key)).toBe(404);
      expect((await api.delete(`/v1/${kind}/${slug}`, tenant)).status).toBe(200);
      const log = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: id, action: 'share' });
      expect(log.length).toBeGreaterThan(2);
    },
  );

  it('refuses an empty audience, and responds in the same way to foreign and unknown workspaces', async () => {
    const { slug } = await make('a');
    const outcomes = new Set<string>();
    for (const workspace_ids of [[other.workspaceId], ['0193f0aa-0000-7000-8000-000000000000']]) {
      const { status, body } = await post(`${slug}/share`, { access: 'workspaces', workspace_ids });
      expect(status).toBe(400);
      outcomes.add(body.error.param ?? '');
    }
    expect(outcomes).toEqual(new Set(['workspace_ids']));
    for (const body of [
      { access: 'workspaces' },
      { access: 'workspaces', workspace_ids: [tenant.workspaceId] },
      { access: 'organisation', workspace_ids: [team.id] },
      { access: 'public' },
    ]) {
      expect((await post(`${slug}/share`, body)).status).toBe(400);
    }
  });

  it('lists the partials that a prompt includes, and shares them too if requested', async () => {
    const inner = await partial('x');
    const outer = await partial(`{{>${inner.slug}}}`);
    const { slug } = await make(`{{>${outer.slug}}}`);
    const audience = { access: 'workspaces', workspace_ids: [team.id] };
    const alone = await post<Shared>(`${slug}/share`, audience);
    expect(new Set(alone.body.unshared_partials)).toEqual(new Set([inner.slug, outer.slug]));
    const together = await post<Shared>(`${slug}/share`, { ...audience, include_partials: true });
    expect(together.body.unshared_partials).toEqual([]);
    expect(await statusOf(`partials/${inner.slug}`, team.key)).toBe(200);
  });

  it('notifies gateways of which workspaces may use a prompt, and of the meaning of labels and versions', async () => {
    const { id, slug, version_id } = await make('a');
    await post(`${slug}/share`, { access: 'workspaces', workspace_ids: [team.id] });
    await api.put(`/v1/prompts/${slug}`, { key: tenant.key, body: { patch: true, string: 'b' } });
    const { body } = await api.get<{ data: Created[] }>('/v1/labels?name=staging', tenant);
    await api.put(`/v1/prompts/${slug}/versions/${version_id}`, {
      key: tenant.key,
      body: { label_id: body.data[0]?.id },
    });
    const organisation = tenant.organisationId;
    const [byId, bySlug, foreign] = await documents<PromptDocument>(
      `prompt:${organisation}:${id}`,
      `prompt:${organisation}:${slug}`,
      `prompt:${other.organisationId}:${slug}`,
    );
    expect(bySlug).toEqual(byId);
    expect(foreign).toBeNull();
    expect(byId).toMatchObject({
      type: 'prompt',
      workspaceId: tenant.workspaceId,
      sharedWith: [team.id],
      publishedVersionId: version_id,
      labels: { staging: version_id },
      versions: [version_id, expect.any(String)],
    });
    const [first, theirs] = await documents<PromptVersionDocument>(
      `prompt_version:${organisation}:${version_id}`,
      `prompt_version:${other.organisationId}:${version_id}`,
    );
    expect([first, theirs]).toMatchObject([{ number: 1, template: 'a', virtualKey: provider }, null]);
    await api.delete(`/v1/prompts/${slug}/share`, tenant);
    await api.delete(`/v1/prompts/${slug}`, tenant);
    expect(
      await documents(`prompt:${organisation}:${id}`, `prompt_version:${organisation}:${version_id}`),
    ).toEqual([null, null]);
  });
});

describe('forking of prompts and partials', () => {
  it('copies a shared version with a separate history, if the workspace has the provider and partials', async () => {
    const style = await partial('x');
    const source = await make(`one {{>${style.slug}}}`, { name: 'Source' });
    await api.put(`/v1/prompts/${source.slug}`, { key: tenant.key, body: { patch: true, string: 'two' } });
    const into = { workspace_id: team.id };
    const fork = (body: object, key = team.key): ReturnType<typeof post<Created & Failure>> =>
      post<Created & Failure>(`${source.slug}/fork`, body, key);
    expect((await fork(into)).status).toBe(404);
    await post(`${source.slug}/share`, { access: 'workspaces', workspace_ids: [team.id] });
    expect((await fork(into)).body.error.param).toBe('workspace_id');
    await provide(team.id);
    expect((await fork(into)).body.error.param).toBe('string');
    await post(`partials/${style.slug}/share`, { access: 'workspaces', workspace_ids: [team.id] });
    const made = await fork({ ...into, name: 'Copy' });
    expect(made.status).toBe(200);
    expect((await api.get(`/v1/prompts/${made.body.slug}`, { key: team.key })).body).toMatchObject({
      name: 'Copy',
      prompt_version: 1,
      string: `one {{>${style.slug}}}`,
      forked_from_prompt_id: source.id,
      forked_from_prompt_version_id: source.version_id,
      prompt_owning_workspace_id: team.id,
      access_level: 'workspace',
    });
    expect((await fork({ ...into, version: 2 })).status).toBe(200);
    expect((await fork({ ...into, version: 7 })).status).toBe(404);
    expect((await fork({ workspace_id: third.id })).status).toBe(404);
    expect((await fork({ workspace_id: other.workspaceId }, other.key)).status).toBe(404);
    expect((await fork({ workspace_id: team.id }, tenant.adminKey)).status).toBe(200);
    expect(await statusOf(made.body.slug, tenant.key)).toBe(404);
  });
});

describe('workspace that shares a prompt or partial', () => {
  it('[ERR-06] cannot be deleted, not even with force', async () => {
    const id = await api.workspace(tenant.organisationId, { name: 'Sharing' });
    const key = await api.apiKey('workspace-service', {
      organisationId: tenant.organisationId,
      workspaceId: id,
    });
    const remove = (): ReturnType<typeof api.delete<Failure>> =>
      api.delete<Failure>(`/v1/workspaces/${id}`, {
        key: tenant.adminKey,
        body: { name: 'Sharing', force_delete: true },
      });
    const folder = await api.post<Created>('/v1/collections', { key, body: { name: 'All' } });
    const style = await post<Created>('partials', { name: 'Part', string: 'x' }, key);
    const prompt = await api.post<Created>('/v1/prompts', {
      key,
      body: { name: 'P', collection_id: folder.body.id, string: 'a', parameters: {}, virtual_key: 'v' },
    });
    for (const [path, resource] of [
      [prompt.body.slug, 'prompts'],
      [`partials/${style.body.slug}`, 'prompt_partials'],
    ] as const) {
      expect((await post(`${path}/share`, { access: 'organisation' }, key)).status).toBe(200);
      const refused = await remove();
      expect([refused.status, refused.body.error.details?.map((detail) => detail.path)]).toEqual([
        409,
        [resource],
      ]);
      expect((await post(`${path}/unshare`, {}, key)).status).toBe(200);
    }
    const received = await make('a');
    await post(`${received.slug}/share`, { access: 'workspaces', workspace_ids: [id] });
    expect((await remove()).status).toBe(200);
    const keys = [prompt.body.id, style.body.id].map((one) => `prompt:${tenant.organisationId}:${one}`);
    expect(await documents(...keys)).toEqual([null, null]);
    expect(await documents<PromptDocument>(`prompt:${tenant.organisationId}:${received.id}`)).toMatchObject([
      { sharedWith: [] },
    ]);
  });
});
