import { domainToASCII } from 'node:url';
import type { Json } from '../api-client';
import { cleared, members, post, present, put, type Item, type Kind, type ReconcileContext } from '../kind';
import { plain, type Members } from '../members';
import { canonicalScopes } from './security.members';

const DOMAINS = '/v1/admin/organisation/domains';
const CLIENTS = '/v1/admin/organisation/oauth-clients';
const TRUSTS = '/v1/trusts';

/** Email domains. Files do not contain their verification, which is a DNS record. */
export const domains: Kind = {
  name: 'domains',
  identity: ['domain'],
  members: {
    domain: { normal: (value) => domainToASCII(String(value).trim().toLowerCase()) },
    allow_subdomains: { fallback: false },
  },
  removable: true,
  async existing({ api }) {
    const rows = await api.all(DOMAINS);
    return rows.map((row) => ({
      item: members(row, 'domain', 'allow_subdomains'),
      path: `${DOMAINS}/${String(row['id'])}`,
    }));
  },
  create: (context, item) => post(context, DOMAINS, present(item, 'domain', 'allow_subdomains')),
  update: (context, path, item) => put(context, path, present(item, 'allow_subdomains')),
};

const CLIENT = ['name', 'redirect_uris', 'token_endpoint_auth_method', 'grant_types', 'status'] as const;
const CLIENT_KEYS = ['jwks', 'jwks_uri'] as const;

/**
 * OAuth clients that administrators register. The server creates their ids and secrets, and shows
 * the secrets once.
 */
export const oauthClients: Kind = {
  name: 'oauth_clients',
  identity: ['name'],
  members: {
    ...plain('name', 'redirect_uris', 'jwks_uri'),
    token_endpoint_auth_method: { fallback: 'none' },
    grant_types: { fallback: ['authorization_code', 'refresh_token'] },
    jwks: { isContent: true },
    status: { fallback: 'active' },
  },
  removable: true,
  async existing({ api }) {
    const rows = await api.all(CLIENTS);
    const names = rows.map(({ name }) => String(name));
    const twice = names.find((name, at) => names.indexOf(name) < at);
    if (twice !== undefined)
      throw new Error(
        `Two OAuth clients have the name ${twice}; a file tells them apart by name, so rename one.`,
      );
    return rows.map((row) => ({
      item: members(row, ...CLIENT, ...CLIENT_KEYS),
      path: `${CLIENTS}/${String(row['id'])}`,
    }));
  },
  create: (context, item) => post(context, CLIENTS, present(item, ...CLIENT, ...CLIENT_KEYS)),
  update: (context, path, item) =>
    put(context, path, { ...present(item, ...CLIENT), ...cleared(item, ...CLIENT_KEYS) }),
};

const TRUST = ['name', 'kind', 'issuer', 'audiences', 'algorithms', 'conditions', 'max_ttl'] as const;
const TRUST_FLAGS = ['require_jti_once', 'link_users', 'status'] as const;
const CONDITIONS: Members = plain('claim', 'op', 'value');

/**
 * Returns the default of `max_ttl` in seconds: the maximum for the kind of trust (`ttlMaxOf` of the
 * admin API).
 */
const defaultMaxTtlSeconds = ({ kind, require_jti_once: isOnce }: Json): number =>
  kind === 'id_jag' ? 300 : isOnce === true ? 3_600 : 86_400;

/**
 * Issuers whose tokens are accepted. A file must have `jwks_uri` or `jwks`: otherwise the server
 * stores the address that the issuer publishes, and the next plan would report a difference.
 */
export const trusts: Kind = {
  name: 'trusts',
  identity: ['name'],
  members: {
    ...plain('name', 'kind', 'preset', 'issuer', 'jwks_uri', 'audiences'),
    jwks: { isContent: true },
    algorithms: { fallback: ['RS256'] },
    conditions: { members: CONDITIONS },
    maps: {
      members: {
        conditions: { members: CONDITIONS },
        workspace: {},
        scopes: { normal: canonicalScopes },
        metadata: { isContent: true },
      },
    },
    max_ttl: { fallback: defaultMaxTtlSeconds },
    require_jti_once: { fallback: false },
    link_users: { fallback: false },
    status: { fallback: 'active' },
  },
  removable: true,
  async existing({ api, workspaces }) {
    const rows = await api.all(TRUSTS);
    return rows.map((row) => ({
      item: {
        ...members(row, ...TRUST, ...TRUST_FLAGS, 'preset', 'jwks_uri', 'jwks'),
        maps: (row['maps'] as Json[]).map(({ workspace, metadata, ...map }) => ({
          ...map,
          ...(typeof workspace === 'string' ? { workspace: workspaces.slugOf(workspace) } : {}),
          ...(Object.keys(metadata as Json).length === 0 ? {} : { metadata }),
        })),
      },
      path: `${TRUSTS}/${String(row['id'])}`,
    }));
  },
  create: (context, item) => post(context, TRUSTS, trustOf(context, item)),
  update: (context, path, item) => put(context, path, { conditions: [], ...trustOf(context, item) }),
};

function trustOf(context: ReconcileContext, item: Item): Json {
  const { jwks, jwks_uri: address } = item;
  if (jwks === undefined && address === undefined)
    throw new Error('jwks_uri or jwks is missing; name where the keys of the issuer are.');
  return {
    ...present(item, ...TRUST, ...TRUST_FLAGS),
    ...cleared(item, 'preset'),
    ...present(item, 'jwks', 'jwks_uri'),
    ...(item['maps'] === undefined
      ? {}
      : {
          maps: (item['maps'] as Json[]).map(({ workspace, ...map }) => ({
            ...map,
            ...(workspace === undefined ? {} : { workspace: context.workspaces.idOf(workspace) }),
          })),
        }),
  };
}
