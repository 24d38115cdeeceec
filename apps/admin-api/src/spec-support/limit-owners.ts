import {
  documentKey,
  type ApiKeyDocument,
  type DocumentKey,
  type ProviderDocument,
  type ReadModelDocument,
  type WorkspaceDocument,
} from '@gw/contracts';
import { ApiKeySecretEntity } from '@gw/entities';
import { DocumentsService } from '../publishing/documents.service';
import type { Tenant, TestAdminApi } from './admin-api';
import { createIntegration } from './integrations';

type GatewayResponse = Record<string, unknown>;

/** A resource with limits: its response, and the document that gateways receive. */
export interface MadeOwner {
  readonly response: GatewayResponse;
  readonly document: { readonly usageLimits: readonly object[]; readonly rateLimits: readonly object[] };
  /** Key of the counter of its cost budget. */
  readonly counter: string;
  /** Returns its budget as its own response now shows it; `listed` returns the budget in a list. */
  shown(): Promise<GatewayResponse>;
  listed(): Promise<GatewayResponse>;
}

/** Creates a resource with limits: one budget or null in `usage_limits`, and `rate_limits`. */
export type OwnerMaker = (limits: object) => Promise<MadeOwner>;

interface Limits {
  readonly usage_limits: object | null;
}

const asList = ({ usage_limits: usage }: Limits): object[] | null => (usage === null ? null : [usage]);
/** Returns the only budget, whether it is an object or a list item. */
const budgetOf = (response: GatewayResponse | undefined): GatewayResponse =>
  ([response?.['usage_limits'] ?? []].flat()[0] ?? {}) as GatewayResponse;

/** Returns a maker for each kind of resource with limits, with its name. */
export function limitOwners(
  api: TestAdminApi,
  tenant: Tenant,
): readonly (readonly [name: string, make: OwnerMaker])[] {
  const made = async (method: 'POST' | 'PUT', path: string, body: object, key = tenant.key) => {
    const response = await api.call<Record<string, string>>(method, path, { key, body });
    if (response.status !== 200) throw new Error(response.text);
    return response.body;
  };
  const read = async (path: string, key = tenant.key): Promise<GatewayResponse> =>
    (await api.get(path, { key })).body;
  const documentOf = async <T extends ReadModelDocument>(key: DocumentKey): Promise<T> => {
    const { documents } = await api.api.app.get(DocumentsService).read([key]);
    return documents[key] as T;
  };
  const ofList = async (path: string, id: unknown, key = tenant.key): Promise<GatewayResponse> => {
    const { data } = (await read(`${path}?page_size=100`, key)) as unknown as { data: GatewayResponse[] };
    return budgetOf(data.find((each) => each['id'] === id));
  };

  const keyWith: OwnerMaker = async (limits) => {
    const { id = '' } = await made('POST', '/v1/api-keys/workspace/service', {
      ...{ name: 'k', scopes: ['completions.write'] },
      ...limits,
    });
    const [secret] = await api.dataSource.manager.findBy(ApiKeySecretEntity, { apiKeyId: id });
    return {
      response: await read(`/v1/api-keys/${id}`),
      document: await documentOf<ApiKeyDocument>(documentKey.apiKey(secret?.secretHash ?? '')),
      counter: `api_key:${id}:cost:budget`,
      shown: async () => budgetOf(await read(`/v1/api-keys/${id}`)),
      listed: () => ofList('/v1/api-keys', id),
    };
  };

  const providerAt =
    (path: string, more: () => Promise<object>): OwnerMaker =>
    async (limits) => {
      const created = await made('POST', path, { name: 'p', ...(await more()), ...limits });
      const { slug = '' } = (created as { readonly data?: { readonly slug: string } }).data ?? created;
      const response = await read(`${path}/${slug}`);
      return {
        response,
        document: await documentOf<ProviderDocument>(documentKey.provider(tenant.workspaceId, slug)),
        counter: `provider:${String(response['id'])}:cost:budget`,
        shown: async () => budgetOf(await read(`${path}/${slug}`)),
        listed: () => ofList(path, response['id']),
      };
    };

  const workspaceWith: OwnerMaker = async (limits) => {
    const path = `/v1/workspaces/${tenant.workspaceId}`;
    await made('PUT', path, { ...limits, usage_limits: asList(limits as Limits) }, tenant.adminKey);
    const response = await read(path, tenant.adminKey);
    return {
      response: { ...response, usage_limits: budgetOf(response) },
      document: await documentOf<WorkspaceDocument>(documentKey.workspace(tenant.workspaceId)),
      counter: `workspace:${tenant.workspaceId}:cost:budget`,
      shown: async () => budgetOf(await read(path, tenant.adminKey)),
      listed: () => ofList('/v1/workspaces', tenant.workspaceId, tenant.adminKey),
    };
  };

  const integrationAccess: OwnerMaker = async (limits) => {
    const { id, slug } = await createIntegration(api, tenant.adminKey);
    const path = `/v1/integrations/${slug}/workspaces`;
    const access = { ...limits, usage_limits: asList(limits as Limits), id: tenant.workspaceId };
    const body = { workspaces: [{ ...access, enabled: true, default_provider_slug: `of-${slug}` }] };
    await made('PUT', path, body, tenant.adminKey);
    const first = async (): Promise<GatewayResponse> =>
      ((await read(path, tenant.adminKey)) as unknown as { workspaces: GatewayResponse[] }).workspaces[0] ??
      {};
    const response = await first();
    const provider = await documentOf<ProviderDocument>(
      documentKey.provider(tenant.workspaceId, `of-${slug}`),
    );
    const shown = async (): Promise<GatewayResponse> => budgetOf(await first());
    return {
      response: { ...response, usage_limits: budgetOf(response) },
      document: provider.integrationLimits ?? { usageLimits: [], rateLimits: [] },
      counter: `integration:${id}:cost:budget:${tenant.workspaceId}`,
      shown,
      listed: shown,
    };
  };

  return [
    ['an API key', keyWith],
    [
      'a provider',
      providerAt('/v1/providers', async () => ({
        integration_id: (await createIntegration(api, tenant.key)).slug,
      })),
    ],
    [
      'a virtual key',
      providerAt('/v1/virtual-keys', () =>
        Promise.resolve({ provider: 'openai', key: 'sk-0123456789abcdef' }),
      ),
    ],
    ['a workspace', workspaceWith],
    ['an integration in a workspace', integrationAccess],
  ];
}
