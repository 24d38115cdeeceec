import type { Json } from '../api-client';
import { members, post, present, put, type Item, type Kind, type ReconcileContext } from '../kind';
import { plain, type Members } from '../members';
import { canonical, isFields, oneSecret, secretName } from '../values';

const CONNECTIONS = '/v1/admin/organisation/sso-connections';

const lower = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((domain) => String(domain).toLowerCase()) : value;

/** Serialises a set of keys as JSON text, so that it counts as one secret. */
const asText = (value: unknown): unknown =>
  isFields(value) && Array.isArray(value['keys']) ? JSON.stringify(value) : value;

/** Returns certificates in the form in which the control plane saves them. */
const asPem = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((text) => {
        const base64 = String(text).replaceAll(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, '');
        const lines = Array.from({ length: Math.ceil(base64.length / PEM_LINE) }, (_, at) =>
          base64.slice(at * PEM_LINE, (at + 1) * PEM_LINE),
        );
        return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
      })
    : value;
const PEM_LINE = 64;

/**
 * Returns the default binding of an address in the file; undefined without the address, because the
 * metadata defines both.
 */
const bindingOf =
  (address: 'sso_url' | 'slo_url') =>
  (saml: Json): unknown =>
    saml[address] === undefined || saml[address] === null ? undefined : 'redirect';

const SAML_FLAGS = [
  ...(['sign_authn_requests', 'allow_idp_initiated', 'force_authn', 'lenient_destination'] as const),
  'enforce_cert_dates',
] as const;
const SAML_CLEARED = [
  ...(['name_id_format', 'authn_context', 'email_attribute', 'given_name_attribute'] as const),
  'family_name_attribute',
] as const;
const SAML: Members = {
  ...plain('metadata_url', 'entity_id', 'sso_url'),
  sso_binding: { fallback: bindingOf('sso_url') },
  slo_url: {},
  slo_binding: { fallback: bindingOf('slo_url') },
  certificates: { normal: asPem },
  ...Object.fromEntries(SAML_FLAGS.map((name) => [name, { fallback: false }])),
  ...plain(...SAML_CLEARED),
};

const LISTS = ['scopes', 'domains', 'acr_values', 'default_workspaces', 'group_rules'] as const;
const FLAGS = ['admits_owners', 'enforced', 'disable_auto_provision_user', 'remove_mapped'] as const;
/** Members that only OpenID Connect connections have. */
const OF_OIDC = [
  ...(['issuer', 'client_id', 'token_endpoint_auth_method', 'scopes', 'trust_email', 'acr_values'] as const),
  ...(['prompt', 'email_claim', 'given_name_claim', 'family_name_claim'] as const),
] as const;
const ROLE: Members = plain('workspace', 'role');

const ofOidc =
  (value: unknown) =>
  ({ type }: Json): unknown =>
    type === 'saml' ? undefined : value;
const methodOf = ({ type, jwks }: Json): unknown => {
  if (type === 'saml') return undefined;
  return jwks === undefined || jwks === null ? 'client_secret_basic' : 'private_key_jwt';
};

/**
 * Single sign-on connections. Files contain neither metadata that is fetched from an address nor
 * links of users.
 */
export const ssoConnections: Kind = {
  name: 'sso_connections',
  identity: ['name'],
  members: {
    ...plain('name', 'issuer', 'client_id'),
    client_secret: { secrets: oneSecret },
    type: { fallback: 'oidc' },
    jwks: { secrets: oneSecret, normal: asText },
    token_endpoint_auth_method: { fallback: methodOf },
    ...plain('scopes', 'acr_values', 'prompt', 'email_claim', 'given_name_claim', 'family_name_claim'),
    trust_email: { fallback: ofOidc(false) },
    saml: { members: SAML },
    domains: { normal: lower },
    ...Object.fromEntries(FLAGS.map((name) => [name, { fallback: false }])),
    ...plain('max_age', 'max_session_ttl'),
    auto_provision: { fallback: true },
    default_workspaces: { members: ROLE },
    groups_claim: { fallback: 'groups' },
    group_rules: { members: { ...plain('match', 'value'), ...ROLE } },
    status: { fallback: 'active' },
  },
  fixed: ['type'],
  removable: true,
  async existing(context) {
    const rows = await context.api.all(CONNECTIONS);
    return rows.map((row) => ({
      item: inFile(context, row),
      path: `${CONNECTIONS}/${String(row['id'])}`,
    }));
  },
  create: (context, item) => post(context, CONNECTIONS, inApi(context, item)),
  /**
   * Sends only members that differ: only owners may send `admits_owners`, and a change of the
   * provider by others resets it.
   */
  update: (context, path, item, before) => {
    const names = new Set([...Object.keys(item), ...Object.keys(before)]);
    const changed = [...names].filter((name) => canonical(item[name]) !== canonical(before[name]));
    const { saml } = item;
    return put(context, path, {
      ...Object.fromEntries(
        changed.filter((name) => item[name] === undefined && !isSecret(name)).map(cleared),
      ),
      ...inApi(context, present(item, ...changed)),
      ...(changed.includes('saml') && isFields(saml) ? { saml: changedSaml(saml, before['saml']) } : {}),
    });
  },
};

/**
 * Returns whether a member is a secret. An absent secret is not cleared: its variable may not be
 * set, and the saved secret then stays.
 */
const isSecret = (name: string): boolean => name === 'client_secret' || name === 'jwks';

const cleared = (name: string): readonly [string, unknown] => [
  name,
  (LISTS as readonly string[]).includes(name) ? [] : null,
];

/**
 * Returns the SAML settings to send. Addresses and certificates override those of the metadata, so
 * only those in the file are sent, and null for those that the file no longer has.
 */
function changedSaml(saml: Json, before: unknown): Json {
  const saved = isFields(before) ? before : {};
  const ends = ['metadata_url', ...(saml['metadata_url'] === undefined ? ['slo_url'] : [])];
  const ended = ends.filter((name) => saved[name] !== undefined && saml[name] === undefined);
  return {
    ...Object.fromEntries([...SAML_CLEARED, ...ended].map((name) => [name, null])),
    ...saml,
  };
}

function inFile(context: ReconcileContext, row: Json): Item {
  const owner = ['sso', String(row['name'])];
  const { jwks, client_secret: secret } = {
    jwks: row['token_endpoint_auth_method'] === 'private_key_jwt' ? secretName(...owner, 'jwks') : null,
    client_secret: row['has_client_secret'] === true ? secretName(...owner, 'client_secret') : null,
  };
  const ofType = row['type'] === 'saml' ? { saml: samlInFile(row) } : members(row, ...OF_OIDC);
  return {
    ...members(row, 'name', 'type', 'status', 'domains', 'auto_provision', 'groups_claim', ...FLAGS),
    ...members(row, 'max_age', 'max_session_ttl'),
    ...{ ...ofType, jwks, client_secret: secret },
    ...mapWorkspaces(row, (id) => context.workspaces.slugOf(String(id))),
  };
}

/**
 * Returns the SAML settings for a file, without parts that come from the metadata and change with
 * it.
 */
function samlInFile({ issuer, saml }: Json): Json {
  const { metadata_url: url, own_parts: own, certificates, ...settings } = saml as Json;
  const isOwn = (part: string): boolean => url === null || (own as readonly string[]).includes(part);
  return {
    ...members(settings, ...SAML_FLAGS, ...SAML_CLEARED),
    metadata_url: url,
    ...(isOwn('entity_id') ? { entity_id: issuer } : {}),
    ...(isOwn('sso') ? members(settings, 'sso_url', 'sso_binding') : {}),
    ...(isOwn('slo') && settings['slo_url'] !== null ? members(settings, 'slo_url', 'slo_binding') : {}),
    ...(isOwn('certificates') ? { certificates: (certificates as Json[]).map(({ pem }) => pem) } : {}),
  };
}

function inApi(context: ReconcileContext, item: Item): Json {
  const { jwks } = item;
  return {
    ...item,
    ...(typeof jwks === 'string' ? { jwks: keysOf(jwks) } : {}),
    ...mapWorkspaces(item, (slug) => context.workspaces.idOf(slug)),
  };
}

function keysOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('jwks must be a set of keys in JSON.');
  }
}

const mapWorkspaces = (fields: Json, named: (workspace: unknown) => string): Json =>
  Object.fromEntries(
    (['default_workspaces', 'group_rules'] as const)
      .filter((name) => Array.isArray(fields[name]))
      .map((name) => [
        name,
        (fields[name] as Json[]).map(({ workspace, ...rest }) => ({
          ...rest,
          ...(workspace === undefined || workspace === null ? {} : { workspace: named(workspace) }),
        })),
      ]),
  );
