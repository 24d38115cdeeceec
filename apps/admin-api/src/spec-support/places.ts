import type { GatewayResponse, Tenant, TestAdminApi } from './admin-api';
import type { Failure } from './api-keys';

/** A field of a request body, with an otherwise valid call. */
export interface Place {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly field: string;
  readonly by: 'adminKey' | 'key';
  readonly more: object;
  /** Maximum length in characters. */
  readonly max: number;
}

export interface Written {
  readonly id: string;
  readonly slug: string;
  readonly data?: { readonly slug: string };
}

const ACCOUNT = { name: 'x', ai_provider_id: 'openai', key: 'sk-0123456789abcdef' };
const VIRTUAL_KEY = { name: 'x', provider: 'openai', key: ACCOUNT.key };
const GUARDRAIL = {
  name: 'x',
  checks: [{ id: 'default.contains', parameters: { words: ['x'] } }],
};
const CONFIG = { name: 'x', config: { provider: '@x' } };
const SECRET_REFERENCE = {
  name: 'x',
  manager_type: 'cloud1_sm',
  auth_config: { aws_auth_type: 'serviceRole', aws_region: 'eu-central-1' },
  secret_path: 'x',
};
const API_KEY = { name: 'x', scopes: ['logs.list'] };
/** Maximum length of workspace names; all other names have 255 characters. */
const WORKSPACE_NAME_MAX = 128;

const place = (
  method: Place['method'],
  path: string,
  by: Place['by'],
  more: object,
  field = 'name',
): Place => ({
  method,
  path,
  field,
  by,
  more,
  max: field === 'name' && path.startsWith('/v1/workspaces') ? WORKSPACE_NAME_MAX : 255,
});

export const writeAt = (
  admin: TestAdminApi,
  tenant: Tenant,
  { method, path, by, more, field }: Place,
  value: unknown,
): Promise<GatewayResponse<Written & Failure>> =>
  admin.call(method, path, { key: tenant[by], body: { ...more, [field]: value } });

/**
 * Creates an integration of the tenant's organisation that its workspace may use, and returns its
 * id.
 */
export async function sharedIntegration(
  admin: TestAdminApi,
  { adminKey, workspaceId }: Tenant,
): Promise<string> {
  const { body } = await admin.post<Written>('/v1/integrations', { key: adminKey, body: ACCOUNT });
  await admin.put(`/v1/integrations/${body.id}/workspaces`, {
    key: adminKey,
    body: { workspaces: [{ id: workspaceId, enabled: true }], create_default_provider: false },
  });
  return body.id;
}

/** Returns every slug field, and the list of the resource. */
export const slugPlaces = (integrationId: string): [Place, list: string][] => [
  [place('POST', '/v1/integrations', 'adminKey', ACCOUNT, 'slug'), '/v1/integrations'],
  [place('POST', '/v1/workspaces', 'adminKey', { name: 'x' }, 'slug'), '/v1/workspaces'],
  [place('POST', '/v1/secret-references', 'adminKey', SECRET_REFERENCE, 'slug'), '/v1/secret-references'],
  [place('POST', '/v1/deployments', 'adminKey', { name: 'x' }, 'slug'), '/v1/deployments'],
  [place('POST', '/v1/configs', 'key', CONFIG, 'slug'), '/v1/configs'],
  [place('POST', '/v1/guardrails', 'key', GUARDRAIL, 'slug'), '/v1/guardrails'],
  [
    place('POST', '/v1/providers', 'key', { name: 'x', integration_id: integrationId }, 'slug'),
    '/v1/providers',
  ],
  [place('POST', '/v1/integrations', 'key', ACCOUNT, 'default_provider_slug'), '/v1/providers'],
];

/** Returns every name field, in creations and in updates. */
export async function namePlaces(
  admin: TestAdminApi,
  tenant: Tenant,
): Promise<[Place, list: string | null][]> {
  const integrationId = await sharedIntegration(admin, tenant);
  const kinds: [path: string, by: Place['by'], body: object, list: string | null][] = [
    ['/v1/integrations', 'adminKey', ACCOUNT, '/v1/integrations'],
    ['/v1/workspaces', 'adminKey', { name: 'x' }, '/v1/workspaces'],
    ['/v1/secret-references', 'adminKey', SECRET_REFERENCE, '/v1/secret-references'],
    ['/v1/deployments', 'adminKey', { name: 'x' }, '/v1/deployments'],
    ['/v1/providers', 'key', { name: 'x', integration_id: integrationId }, '/v1/providers'],
    ['/v1/virtual-keys', 'key', VIRTUAL_KEY, '/v1/virtual-keys'],
    ['/v1/configs', 'key', CONFIG, '/v1/configs'],
    ['/v1/guardrails', 'key', GUARDRAIL, '/v1/guardrails'],
    ['/v1/api-keys/workspace/service', 'key', API_KEY, '/v1/api-keys'],
  ];
  const places: [Place, string | null][] = [
    [place('PUT', '/v1/admin/organisation', 'adminKey', {}), '/v1/admin/organisation'],
  ];
  for (const [path, by, body, list] of kinds) {
    const { status, body: made } = await admin.post<Written>(path, { key: tenant[by], body });
    if (status !== 200) throw new Error(`${path} answered ${String(status)}.`);
    const url = `${list ?? ''}/${made.data?.slug ?? made.id}`;
    places.push([place('POST', path, by, body), list], [place('PUT', url, by, {}), url]);
  }
  return places;
}
