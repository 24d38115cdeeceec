import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type GatewayResponse, type Call } from '../../spec-support/admin-api';
import { isProtocolRoute } from '../../spec-support/protocol-routes';
import type { Failure } from '../../spec-support/api-keys';

const admin = new TestAdminApi();
const ours = admin.sharedTenant();
let collection = '';
beforeAll(async () => {
  collection = (await make('/v1/collections', { name: 'All' })).id;
});

const call = (body: object): Call => ({
  key: ours.adminKey,
  body: { workspace_id: ours.workspaceId, ...body },
});
const make = async (
  path: string,
  body: object,
): Promise<{ id: string; slug: string; version_id: string }> => {
  const response = await admin.post<{ id: string; slug: string; version_id: string }>(path, call(body));
  if (response.status !== 200) throw new Error(`${path}: ${response.text}`);
  return response.body;
};
const remove = (
  path: string,
  more = '',
): Promise<GatewayResponse<Failure & { warnings?: { path: string }[] }>> =>
  admin.delete(`${path}?workspace_id=${ours.workspaceId}${more}`, { key: ours.adminKey });

interface Used {
  /** Path of the resource to delete. */
  readonly path: string;
  /** Paths of the uses, as the error lists them. */
  readonly uses: readonly string[];
}

const config = (content: object): Promise<{ slug: string; id: string }> =>
  make('/v1/configs', { name: 'Using', config: content });

const prompt = (virtualKey: string): Promise<{ slug: string; id: string; version_id: string }> =>
  make('/v1/prompts', {
    ...{ name: 'Using', string: 'Hello {{name}}', parameters: {}, model: 'gpt-4o', virtual_key: virtualKey },
    collection_id: collection,
  });

async function integration(): Promise<{ id: string; slug: string }> {
  return make('/v1/integrations', {
    ...{
      name: 'Shared',
      slug: `shared-${uuidv7().slice(-12)}`,
      ai_provider_id: 'openai',
      key: 'sk-0123456789',
    },
    create_default_provider: false,
  });
}

async function namedBy(slug: string): Promise<string[]> {
  const configs = [
    await config({ provider: `@${slug}` }),
    await config({
      strategy: { mode: 'fallback' },
      targets: [{ virtual_key: slug }, { provider: 'openai' }],
    }),
  ];
  const { slug: text } = await prompt(slug);
  return [...configs.map((one) => `configs.${one.slug}`), `prompts.${text}`];
}

const PROVIDER_KINDS: Readonly<Record<string, () => Promise<Used>>> = {
  providers: async () => {
    const { slug } = await make('/v1/providers', { name: 'Used', integration_id: (await integration()).id });
    return { path: `/v1/providers/${slug}`, uses: await namedBy(slug) };
  },
  'virtual-keys': async () => {
    const slug = `vk-${uuidv7().slice(-12)}`;
    await make('/v1/virtual-keys', { name: 'Used', slug, provider: 'openai', key: 'sk-0123456789' });
    return { path: `/v1/virtual-keys/${slug}`, uses: await namedBy(slug) };
  },
};

describe('DELETE of a resource in use', () => {
  it.each(Object.entries(PROVIDER_KINDS))(
    'is refused for %s with a list of the uses, and succeeds with force=true',
    async (_kind, used) => {
      const { path, uses } = await used();
      const refused = await remove(path);
      expect([refused.status, refused.body.error.type]).toEqual([409, 'conflict']);
      const { details = [] } = refused.body.error as { details?: { path: string }[] };
      expect(details.map((one) => one.path).sort()).toEqual([...uses].sort());
      expect((await remove(path, '&force=true')).status).toBe(200);
    },
  );

  it('succeeds for a provider when a config only contains similar text or no longer names it', async () => {
    const { id } = await integration();
    const { slug } = await make('/v1/providers', { name: 'Near', integration_id: id });
    await config({ provider: 'openai', override_params: { user: slug, suffix: `@${slug}x` } });
    const { slug: before } = await config({ provider: `@${slug}` });
    await admin.put(`/v1/configs/${before}`, call({ config: { provider: 'openai' } }));
    expect((await remove(`/v1/providers/${slug}`)).body).toEqual({});
  });

  it('succeeds for an integration, and warns about uses of its providers', async () => {
    const { id, slug } = await integration();
    const provider = await make('/v1/providers', { name: 'Used', integration_id: id });
    const uses = await namedBy(provider.slug);
    const { status, body } = await remove(`/v1/integrations/${slug}`);
    expect(status).toBe(200);
    expect((body.warnings ?? []).map(({ path }) => path).sort()).toEqual([...uses].sort());
    expect((await remove(`/v1/integrations/${(await integration()).slug}`)).body).toEqual({});
  });

  it('is refused for a label on a prompt version, and succeeds with force=true', async () => {
    const { id } = await make('/v1/labels', { name: 'canary' });
    const { slug, version_id: version } = await prompt('nobodys');
    const put = await admin.put(`/v1/prompts/${slug}/versions/${version}`, call({ label_id: id }));
    expect(put.status).toBe(200);
    const refused = await remove(`/v1/labels/${id}`);
    expect([refused.status, refused.text.includes(`prompts.${slug}`)]).toEqual([409, true]);
    expect((await remove(`/v1/labels/${id}`, '&force=true')).status).toBe(200);
  });
});

const GUARDED = 'refused while in use';
const NOT_NAMED = 'no other resource names it';
const AS_DECIDED = 'removes a right, which is what the caller wants';

/** Behaviour of each DELETE route when other resources name the resource. Add new routes here. */
const DELETES: Readonly<Record<string, string>> = {
  'configs/:id': GUARDED,
  'guardrails/:id': GUARDED,
  'labels/:id': GUARDED,
  'plugins/:id': GUARDED,
  'prompts/:id': GUARDED,
  'prompts/partials/:id': GUARDED,
  'providers/:id': GUARDED,
  'secret-references/:id': GUARDED,
  'virtual-keys/:id': GUARDED,
  'workspaces/:id': GUARDED,
  'admin/workspaces/:id': GUARDED,
  'integrations/:id': 'succeeds by the specification (D-18), and warns',
  'mcp-integrations/:id':
    'succeeds as for integrations: its servers end with it, and the response names them',
  'agent-integrations/:id':
    'succeeds as for integrations: its agents in workspaces end with it, and the response names them',
  'agent-servers/:id': 'no other resource names it',
  'mcp-servers/:id': 'only mappings of guardrails and toolsets name it; they end with it, and it leaves them',
  'mcp-toolsets/:id': 'no row names a toolset',
  'mcp-servers/:id/connections': 'no row names a connection',
  'collections/:id': 'its contents move to the default collection',
  'integrations/:id/integration-models': AS_DECIDED,
  'integrations/:id/models': AS_DECIDED,
  'prompts/:id/share': AS_DECIDED,
  'prompts/:id/unshare': AS_DECIDED,
  'prompts/partials/:id/share': AS_DECIDED,
  'prompts/partials/:id/unshare': AS_DECIDED,
  'admin/organisation/domains/:id': NOT_NAMED,
  'admin/organisation/oauth-clients/:id': NOT_NAMED,
  'admin/organisation/oauth-grants/:id': NOT_NAMED,
  'admin/organisation/scim-token': NOT_NAMED,
  'admin/organisation/sso-connections/:id': NOT_NAMED,
  'admin/users/:id': NOT_NAMED,
  'admin/users/:id/sso-links/:id': NOT_NAMED,
  'admin/users/invites/:id': NOT_NAMED,
  'admin/workspaces/:id/members/:id': NOT_NAMED,
  'admin/workspaces/:id/users/:id': NOT_NAMED,
  'alert-webhooks/:id': NOT_NAMED,
  'auth/grants/:id': NOT_NAMED,
  'api-keys/:id': NOT_NAMED,
  'deployments/:id': NOT_NAMED,
  'logs/exports/:id': NOT_NAMED,
  'policies/rate-limits/:id': NOT_NAMED,
  'policies/usage-limits/:id': NOT_NAMED,
  'scim/workspaces/:id': NOT_NAMED,
  'trusts/:id': NOT_NAMED,
  'users/:id/sso-links/:id': NOT_NAMED,
  'users/:id': NOT_NAMED,
  'users/invites/:id': NOT_NAMED,
  'workspaces/:id/members/:id': NOT_NAMED,
  'workspaces/:id/users/:id': NOT_NAMED,
};

describe('every DELETE route', () => {
  it('is listed in this file with its behaviour for used resources', () => {
    const server = admin.api.app.getHttpAdapter().getInstance() as {
      routeTable?: { all(): [string, string][] };
    };
    const routes = (server.routeTable?.all() ?? [])
      .filter(([method, path]) => method === 'DELETE' && path.startsWith('/v1/') && !isProtocolRoute(path))
      .map(([, path]) => path.slice('/v1/'.length).replaceAll(/:\w+/g, ':id'));
    expect(routes.filter((route) => !Object.hasOwn(DELETES, route)).sort()).toEqual([]);
  });
});
