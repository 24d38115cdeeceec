import { AuditLogEntity, ChangeEventEntity } from '@gw/entities';
import { readCases } from '@gw/testing';
import { TestAdminApi } from '../../spec-support/admin-api';

interface Created {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
  readonly prompt_version_id: string;
}

interface Failure {
  readonly error: {
    readonly type: string;
    readonly param: string | null;
    readonly message: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const other = api.sharedTenant();
let collection = '';

beforeAll(async () => {
  collection = (await api.post<Created>('/v1/collections', { key: tenant.key, body: { name: 'All' } })).body
    .slug;
});

const PROMPT = {
  name: 'Greeting',
  string: '[{"role":"user","content":"Hello {{name}}{{#vip}}, {{title}}{{/vip}}"}]',
  parameters: { max_completion_tokens: 20, b: 1, a: 2 },
  virtual_key: 'openai-prod',
  model: 'gpt-4o',
};

async function make(path: string, body: object): Promise<Created> {
  const response = await api.post<Created>(path, { key: tenant.key, body });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body;
}
const prompt = (more: object = {}): Promise<Created> =>
  make('/v1/prompts', { ...PROMPT, collection_id: collection, ...more });
const partial = (string: string): Promise<Created> => make('/v1/prompts/partials', { name: 'Style', string });
const read = async (reference: string): Promise<Record<string, unknown>> => {
  const response = await api.get(`/v1/prompts/${reference}`, tenant);
  expect([reference, response.status]).toEqual([reference, 200]);
  return response.body;
};
const put = (path: string, body: object): ReturnType<typeof api.put<Failure>> =>
  api.put<Failure>(`/v1/prompts/${path}`, { key: tenant.key, body });
const lastEvent = async (): Promise<ChangeEventEntity | undefined> =>
  (await api.dataSource.manager.find(ChangeEventEntity, { order: { sequence: 'DESC' }, take: 1 }))[0];

describe('/v1/prompts', () => {
  it('accepts a slug once in the organisation, for prompts and partials together', async () => {
    expect((await prompt({ slug: 'greeting' })).slug).toBe('greeting');
    const taken = { key: tenant.key, body: { name: 'Style', string: 'x', slug: 'greeting' } };
    const again = await api.post<Failure>('/v1/prompts/partials', taken);
    expect([again.status, again.body.error.param]).toEqual([409, 'slug']);
    const wrong = { key: tenant.key, body: { name: 'Style', string: 'x', slug: 'No slug' } };
    expect((await api.post('/v1/prompts/partials', wrong)).status).toBe(400);
    const theirs = { key: other.key, body: { name: 'Style', string: 'x', slug: 'greeting' } };
    expect((await api.post('/v1/prompts/partials', theirs)).status).toBe(200);
  });

  it('[SVC-07 in part] publishes the first version of a new prompt, and notifies gateways', async () => {
    const { id, slug, version_id } = await prompt();
    expect(slug).toMatch(/^pp-greeting-[0-9a-f]{6}$/);
    const keys = [`prompt:${tenant.organisationId}:${slug}`, `prompt:${tenant.organisationId}:${id}`];
    expect(await lastEvent()).toMatchObject({ changed: keys, removed: [] });
    const body = await read(slug);
    expect(body).toMatchObject({
      ...PROMPT,
      id,
      slug,
      prompt_version_id: version_id,
      prompt_version: 1,
      prompt_version_status: 'active',
      is_raw_template: 0,
      access_level: 'workspace',
      prompt_owning_workspace_id: tenant.workspaceId,
      prompt_version_labels: [],
      object: 'prompt',
      variable_components: {
        variables: ['name', 'title'],
        sections: ['vip'],
        sectionVariables: { vip: ['title'] },
        partials: [],
        variablePartials: [],
      },
    });
    expect(Object.keys(body['parameters'] as object)).toEqual(Object.keys(PROMPT.parameters));
    expect(await read(id)).toEqual(body);
    expect((await api.get(`/v2/prompts/${slug}`, tenant)).body).toEqual(body);
  });

  it('creates a version for new content but not for a new name, and publishes neither', async () => {
    const { slug, version_id: first } = await prompt();
    expect((await put(slug, { name: 'Renamed' })).body).toMatchObject({ slug, prompt_version_id: first });
    const patched = (await put(slug, { patch: true, string: 'Hi {{name}}', tool_choice: 'auto' }))
      .body as unknown as Created;
    expect(patched.prompt_version_id).not.toBe(first);
    expect(await read(slug)).toMatchObject({ prompt_version: 1, string: PROMPT.string, name: 'Renamed' });
    for (const reference of [`${slug}@latest`, `${slug}@2`, `${slug}?version=2`, `${slug}%402`]) {
      expect(await read(reference)).toMatchObject({
        prompt_version: 2,
        string: 'Hi {{name}}',
        model: 'gpt-4o',
        parameters: PROMPT.parameters,
        tool_choice: 'auto',
      });
    }
    expect((await put(slug, { patch: true, tool_choice: null, model: null })).status).toBe(200);
    expect(await read(`${slug}@3`)).toMatchObject({ tool_choice: null, model: null, string: 'Hi {{name}}' });
    const { body } = await api.get<{ data: object[] }>(`/v1/prompts/${slug}/versions`, tenant);
    expect(body).toMatchObject({
      object: 'list',
      total: 3,
      data: [{ prompt_version: 3 }, { prompt_version: 2, prompt_template: 'Hi {{name}}' }, { id: first }],
    });
    expect((await api.get(`/v1/prompts/${slug}/versions/${first}`, tenant)).body).toMatchObject({
      prompt_version: 1,
    });
  });

  it('requires complete content for a version, unless it is a patch', async () => {
    const { slug } = await prompt();
    const { string, parameters, model } = PROMPT;
    for (const [body, param] of [
      [{ string }, 'parameters'],
      [{ string, parameters }, 'model'],
      [{ version_description: 'x', parameters, model }, 'string'],
    ] as const) {
      const response = await put(slug, body);
      expect([response.status, response.body.error.param]).toEqual([400, param]);
    }
    expect((await put(slug, { string, parameters, model })).status).toBe(200);
  });

  it('publishes a version by its number, with an audit record and a notification of gateways', async () => {
    const { id, slug } = await prompt();
    await put(slug, { patch: true, string: 'two' });
    expect((await put(`${slug}/makeDefault`, { version: 2 })).body).toEqual({});
    expect((await lastEvent())?.changed).toContain(`prompt:${tenant.organisationId}:${slug}`);
    expect(await read(slug)).toMatchObject({ prompt_version: 2, string: 'two' });
    for (const version of [0, 3, '2', 1.5]) {
      expect((await put(`${slug}/makeDefault`, { version })).status).toBe(version === 3 ? 404 : 400);
    }
    const log = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: id, action: 'publish' });
    expect(log[0]).toMatchObject({ resourceType: 'prompts', before: { version: 1 }, after: { version: 2 } });
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const key = await api.apiKey('workspace-service', at, ['prompts.update', 'prompts.read']);
    const response = await api.put(`/v1/prompts/${slug}/makeDefault`, { key, body: { version: 1 } });
    expect(response.status).toBe(403);
  });

  it('finds a version by its labels, each of which belongs to one version', async () => {
    const { slug, version_id: first } = await prompt();
    const second = ((await put(slug, { patch: true, string: 'two' })).body as unknown as Created)
      .prompt_version_id;
    const { id: canary } = await make('/v1/labels', { name: 'canary' });
    const { body } = await api.get<{ data: Created[] }>('/v1/labels?name=production', tenant);
    const production = body.data[0]?.id ?? '';
    const label = (version: string, label_id: string | null): Promise<{ status: number }> =>
      put(`${slug}/versions/${version}`, { label_id });
    expect((await label(first, canary)).status).toBe(200);
    expect((await label(first, production)).status).toBe(200);
    expect(await read(`${slug}@canary`)).toMatchObject({
      prompt_version: 1,
      prompt_version_labels: [{ name: 'canary' }, { name: 'production' }],
    });
    expect((await label(second, canary)).status).toBe(200);
    expect(await read(`${slug}@canary`)).toMatchObject({
      prompt_version: 2,
      prompt_version_label_name: 'canary',
    });
    expect(await read(`${slug}@production`)).toMatchObject({ prompt_version: 1 });
    expect((await label(first, null)).status).toBe(200);
    expect((await api.get(`/v1/prompts/${slug}@production`, tenant)).status).toBe(404);
    expect((await api.delete(`/v1/labels/${canary}`, tenant)).status).toBe(409);
    await api.delete(`/v1/labels/${canary}?force=true`, tenant);
    expect((await lastEvent())?.changed).toContain(`prompt:${tenant.organisationId}:${slug}`);
    expect((await api.get(`/v1/prompts/${slug}@canary`, tenant)).status).toBe(404);
    expect((await label(second, canary)).status).toBe(404);
    expect((await put(`${slug}/versions/${second}`, { string: 'x' })).status).toBe(400);
    for (const [reference, which] of [
      ['@9', '9'],
      ['@none', 'with the label none'],
      ['@', 'with the label '],
      ['@0', '0'],
    ] as const) {
      const { status, body } = await api.get<{ error: { message: string } }>(
        `/v1/prompts/${slug}${reference}`,
        tenant,
      );
      expect([status, body.error.message]).toEqual([404, `The prompt ${slug} has no version ${which}.`]);
    }
  });

  it.each<[string, object]>([
    ['name', { name: '' }],
    ['name', { name: undefined }],
    ['collection_id', { collection_id: undefined }],
    ['collection_id', { collection_id: 'co-none' }],
    ['string', { string: undefined }],
    ['string', { string: 7 }],
    ['string', { string: 'a\u0000' }],
    ['string', { string: '{{#a}}' }],
    ['string', { string: '["no message"]' }],
    ['string', { string: '{{>pp-none}}' }],
    ['string', { string: 'x'.repeat(524_289) }],
    ['parameters', { parameters: [] }],
    ['virtual_key', { virtual_key: undefined }],
    ['virtual_key', { virtual_key: 'a b' }],
    ['virtual_key', { virtual_key: '@' }],
    ['tools', { tools: [7] }],
    ['tool_choice', { tool_choice: [] }],
    ['is_raw_template', { is_raw_template: 2 }],
  ])('refuses an invalid %s and names it', async (param, more) => {
    const body = { ...PROMPT, collection_id: collection, ...more };
    const response = await api.post<Failure>('/v1/prompts', { key: tenant.key, body });
    expect([response.status, response.body.error.param]).toEqual([400, param]);
  });

  const { templates } = readCases('regex_templates.json') as {
    templates: { id: string; template: string }[];
  };
  it.each(templates.map(({ id, template }) => [id, template]))(
    'saves or refuses %s without a server error',
    async (_, string) => {
      const body = { ...PROMPT, collection_id: collection, string };
      const response = await api.post<Failure>('/v1/prompts', { key: tenant.key, body });
      expect([200, 400]).toContain(response.status);
      if (response.status === 400) expect(response.body.error.param).toBe('string');
    },
  );

  it('lists by collection, name and id, and moves between collections', async () => {
    const { id: folder } = await make('/v1/collections', { name: 'Folder' });
    const { id, slug } = await prompt({ name: 'Größe 100%' });
    await put(slug, { collection_id: folder });
    for (const query of [
      `collection_id=${folder}`,
      `id=${id}`,
      'search=gr%C3%B6%C3%9Fe%20100%25',
      `search=${slug}`,
    ]) {
      const { body } = await api.get<{ data: Created[]; total: number }>(`/v1/prompts?${query}`, tenant);
      expect([query, body.total, body.data.map((item) => item.id)]).toEqual([query, 1, [id]]);
    }
    expect((await api.get(`/v1/prompts?id=${id}`, other)).body).toMatchObject({ total: 0 });
    expect((await api.get('/v1/prompts', { key: tenant.adminKey })).status).toBe(400);
    expect((await api.get('/v1/prompts?type=other', tenant)).status).toBe(400);
  });

  it('checks If-Match on writes, and archives on deletion', async () => {
    const { slug, id } = await prompt();
    const { headers } = await api.get(`/v1/prompts/${slug}`, tenant);
    const stale = { key: tenant.key, headers: { 'if-match': String(headers['etag']) } };
    expect((await api.put(`/v1/prompts/${slug}`, { ...stale, body: { name: 'New' } })).status).toBe(200);
    expect((await api.put(`/v1/prompts/${slug}`, { ...stale, body: { name: 'New' } })).status).toBe(412);
    expect((await api.delete(`/v1/prompts/${slug}`, stale)).status).toBe(412);
    expect((await api.delete(`/v1/prompts/${slug}`, tenant)).body).toEqual({});
    expect((await lastEvent())?.removed).toContain(`prompt:${tenant.organisationId}:${id}`);
    expect((await api.get(`/v1/prompts/${slug}`, tenant)).status).toBe(404);
    const again = await prompt();
    expect((await put(again.slug, { status: 'archived' })).status).toBe(200);
    expect((await api.get(`/v1/prompts/${again.slug}`, tenant)).status).toBe(404);
  });

  it('archives by status only for a caller that may delete prompts', async () => {
    const { slug } = await prompt();
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const key = await api.apiKey('workspace-service', at, ['prompts.update']);
    const path = `/v1/prompts/${slug}`;
    const refused = await api.put<Failure>(path, { key, body: { status: 'archived' } });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_missing']);
    expect((await api.put(path, { key, body: { name: 'Kept' } })).status).toBe(200);
  });

  it('numbers versions without gaps when two are saved concurrently', async () => {
    const { slug } = await prompt();
    await Promise.all(['a', 'b', 'c'].map((string) => put(slug, { patch: true, string })));
    const { body } = await api.get<{ data: { prompt_version: number }[] }>(
      `/v1/prompts/${slug}/versions`,
      tenant,
    );
    expect(body.data.map(({ prompt_version }) => prompt_version)).toEqual([4, 3, 2, 1]);
  });

  it('responds with 404 to every other tenant, 401 without a key and 403 without the scope', async () => {
    const { id, slug, version_id } = await prompt();
    const part = await partial('x');
    const sibling = await api.workspace(tenant.organisationId);
    const at = { organisationId: tenant.organisationId, workspaceId: sibling };
    const siblingKey = await api.apiKey('workspace-service', at);
    const weak = await api.apiKey('workspace-service', { ...at, workspaceId: tenant.workspaceId }, [
      'configs.list',
    ]);
    const bodies = new Set<string>();
    const share = { access: 'organisation' };
    for (const [kind, references] of [
      ['prompts', [id, slug, 'unknown', part.slug]],
      ['prompts/partials', [part.id, part.slug, 'unknown', slug]],
    ] as const) {
      for (const reference of references) {
        const url = `/v1/${kind}/${reference}`;
        const calls: (readonly [string, string, object?])[] = [
          ['GET', url],
          ['PUT', url, { name: 'x' }],
          ['DELETE', url],
          ['GET', `${url}/versions`],
          ['PUT', `${url}/makeDefault`, { version: 1 }],
          ['POST', `${url}/share`, share],
          ['PUT', `${url}/share`, share],
          ['DELETE', `${url}/share`],
          ['POST', `${url}/unshare`, {}],
          ['DELETE', `${url}/unshare`],
          ...(kind === 'prompts'
            ? ([
                ['GET', `${url}/versions/${version_id}`],
                ['PUT', `${url}/versions/${version_id}`, { label_id: null }],
              ] as const)
            : []),
        ];
        for (const [method, path, body] of calls) {
          const call = body ? { body } : {};
          expect((await api.call(method, path, call)).status).toBe(401);
          expect((await api.call(method, path, { ...call, key: weak })).status).toBe(403);
          for (const key of [other.key, other.adminKey, siblingKey]) {
            const response = await api.call(method, path, { ...call, key });
            expect([path, response.status]).toEqual([path, 404]);
            bodies.add(JSON.stringify({ ...(response.body['error'] as object), request_id: null }));
          }
        }
      }
    }
    expect(bodies.size).toBe(1);
  });
});

describe('/v1/prompts/partials', () => {
  const readPartial = async (reference: string): Promise<Record<string, unknown>> =>
    (await api.get(`/v1/prompts/partials/${reference}`, tenant)).body;

  it('has versions of partials, one of which is published', async () => {
    const { slug, id, version_id } = await partial('one {{a}}');
    const response = await put(`partials/${slug}`, { string: 'two', description: 'second' });
    const { prompt_partial_version_id: second } = response.body as unknown as {
      prompt_partial_version_id: string;
    };
    expect(second).not.toBe(version_id);
    expect(await readPartial(slug)).toMatchObject({ id, version: 1, string: 'one {{a}}', object: 'partial' });
    expect(await readPartial(`${slug}@latest`)).toMatchObject({ version: 2, version_description: 'second' });
    expect((await put(`partials/${slug}/makeDefault`, { version: 2 })).body).toEqual({});
    expect(await readPartial(id)).toMatchObject({ version: 2, prompt_partial_version_id: second });
    const { body } = await api.get(`/v1/prompts/partials/${slug}/versions`, tenant);
    expect(body).toMatchObject({
      object: 'list',
      total: 2,
      data: [{ version: 2, string: 'two' }, { version: 1 }],
    });
    const { body: list } = await api.get<{ data: Created[] }>('/v1/prompts/partials', tenant);
    expect(list.data.map((item) => item.id)).toContain(id);
    expect((await api.get(`/v1/prompts/${slug}`, tenant)).status).toBe(404);
    expect((await api.get(`/v1/prompts/partials/${slug}@production`, tenant)).status).toBe(404);
  });

  it('refuses to delete a partial while a prompt or partial includes it, and lists the uses', async () => {
    const inner = await partial('x');
    const outer = await partial(`{{>${inner.slug}@latest}}`);
    const user = await prompt({ string: `{{>${inner.slug}}}` });
    const refused = await api.delete<Failure>(`/v1/prompts/partials/${inner.slug}`, tenant);
    expect(refused.status).toBe(409);
    expect(refused.body.error.details?.map(({ message }) => message).sort()).toEqual(
      [`The partial ${outer.slug} includes it.`, `The prompt ${user.slug} includes it.`].sort(),
    );
    await api.delete(`/v1/prompts/${user.slug}`, tenant);
    await put(`partials/${outer.slug}`, { string: 'no longer' });
    expect((await api.delete(`/v1/prompts/partials/${inner.slug}`, tenant)).status).toBe(409);
    await put(`partials/${outer.slug}/makeDefault`, { version: 2 });
    expect((await api.delete(`/v1/prompts/partials/${inner.slug}`, tenant)).status).toBe(200);
  });

  it('publishes and labels no version that includes a deleted partial, since it could not be rendered', async () => {
    const gone = await partial('x');
    const { slug, version_id } = await prompt({ string: `{{>${gone.slug}}}` });
    await put(slug, { patch: true, string: 'without' });
    await put(`${slug}/makeDefault`, { version: 2 });
    expect((await api.delete(`/v1/prompts/partials/${gone.slug}`, tenant)).status).toBe(200);
    const { body } = await api.get<{ data: Created[] }>('/v1/labels?name=staging', tenant);
    const label_id = body.data[0]?.id;
    for (const refused of [
      await put(`${slug}/makeDefault`, { version: 1 }),
      await put(`${slug}/versions/${version_id}`, { label_id }),
    ])
      expect([refused.status, refused.body.error.message]).toEqual([
        409,
        `Version 1 includes a deleted partial, ${gone.slug}; save a new version without it.`,
      ]);
    expect((await put(`${slug}/versions/${version_id}`, { label_id: null })).status).toBe(200);
    expect(await read(slug)).toMatchObject({ prompt_version: 2 });
  });

  it('refuses a partial that includes itself, directly or through others, and partials of other workspaces', async () => {
    const inner = await partial('x');
    const outer = await partial(`{{>${inner.id}}}`);
    const foreign = await api.post<Created>('/v1/prompts/partials', {
      key: other.key,
      body: { name: 'Theirs', string: 'secret' },
    });
    const messages = new Set<string>();
    for (const reference of [inner.slug, outer.slug, `${outer.slug}@1`]) {
      expect((await put(`partials/${inner.slug}`, { string: `{{>${reference}}}` })).status).toBe(400);
    }
    for (const reference of [foreign.body.slug, foreign.body.id, 'pp-none', `${outer.slug}@7`]) {
      const { status, body } = await put(`partials/${inner.slug}`, { string: `{{>${reference}}}` });
      expect([status, body.error.param]).toEqual([400, 'string']);
      messages.add(body.error.message.replace(reference, '…'));
    }
    expect(messages.size).toBe(1);
  });
});
