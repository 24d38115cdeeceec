import { isExchanged, type ClientSecret, type McpAuthType } from '@gw/contracts';
import { assertAllowedUrl, type AddressPolicy, type ErrorDetail } from '@gw/kernel';
import { headerMapFaults } from '../../platform/credentials/header-map';
import { shortenedFault } from '../../platform/credentials/shown-secret';
import { checkAuthMethod, CLIENT_MEMBERS, isSecure } from '../../platform/upstreams/configuration-checks';
import { checkAwsKey } from './aws-key-checks';
import {
  checkClientKey,
  checkIssuer,
  KEY_MEMBERS,
  PRIVATE_KEY_JWT,
  signsAssertions,
} from './client-key-checks';
import { checkClient, Faults, isFields, type CheckedIntegration, type Fields } from './configuration-faults';
import { checkIdJag, checkTokenExchange } from './exchange-checks';
import { checkIdentity } from './identity-checks';
import { forwardedHeaderFault, sentHeaderFault } from './mcp-header-names';

/** Member that contains the secret of each authentication type; null for none. */
export const MEMBER_OF: Readonly<Record<McpAuthType, string | null>> = {
  none: null,
  headers: 'headers',
  oauth_auto: 'oauth_metadata',
  oauth_client_credentials: 'oauth_client_credentials',
  aws_sigv4: 'aws_sigv4',
  token_exchange: 'token_exchange',
  id_jag: 'id_jag',
};
const SECRET_MEMBERS: readonly string[] = Object.values(MEMBER_OF).filter((name) => name !== null);

const HEADERS_MAX = 64;

function checkHeaders(value: unknown, path: string, faults: Faults): void {
  faults.found.push(...headerMapFaults(value, path));
  if (!isFields(value)) return;
  const seen = new Set<string>();
  for (const [name, text] of Object.entries(value)) {
    const headerPath = `${path}.${name.slice(0, 64)}`;
    faults.add(headerPath, sentHeaderFault(name));
    faults.add(headerPath, shortenedFault(text));
    if (typeof text === 'string' && text.includes('{{'))
      faults.add(headerPath, 'must not have placeholders; use user_identity_forwarding to send who calls');
    if (seen.has(name.toLowerCase())) faults.add(headerPath, 'is duplicated; send each header once');
    seen.add(name.toLowerCase());
  }
}

function checkPassthrough(value: unknown, path: string, faults: Faults): void {
  if (!Array.isArray(value) || value.length > HEADERS_MAX) {
    faults.add(path, `must be a list of at most ${String(HEADERS_MAX)} header names`);
    return;
  }
  for (const [index, name] of value.entries())
    faults.add(`${path}.${String(index)}`, forwardedHeaderFault(name));
}

const FORWARD_MODES = ['allowlist', 'all-except'];

function checkForwarded(value: unknown, path: string, faults: Faults): void {
  if (Array.isArray(value)) {
    checkForwarded({ mode: 'allowlist', headers: value }, path, faults);
    return;
  }
  if (!faults.object(value, path, ['mode', 'headers'])) return;
  const { mode, headers } = value as { readonly mode?: unknown; readonly headers?: unknown };
  if (!FORWARD_MODES.includes(String(mode))) faults.add(`${path}.mode`, 'must be allowlist or all-except');
  if (!Array.isArray(headers) || headers.length > HEADERS_MAX) {
    faults.add(`${path}.headers`, `must be a list of at most ${String(HEADERS_MAX)} headers`);
    return;
  }
  for (const [index, header] of headers.entries()) {
    const itemPath = `${path}.headers.${String(index)}`;
    if (mode === 'all-except') faults.add(itemPath, sentHeaderFault(header));
    else checkForwardedHeader(header, itemPath, faults);
  }
}

function checkForwardedHeader(header: unknown, path: string, faults: Faults): void {
  if (typeof header === 'string') faults.add(path, forwardedHeaderFault(header));
  else if (faults.object(header, path, ['from', 'to']))
    for (const name of ['from', 'to']) faults.add(`${path}.${name}`, forwardedHeaderFault(header[name]));
}

function checkClientCredentials(
  value: unknown,
  path: string,
  faults: Faults,
  { mapped }: CheckedIntegration,
): void {
  if (!faults.object(value, path, [...CLIENT_MEMBERS, 'issuer', ...KEY_MEMBERS])) return;
  checkClient(value, path, faults);
  checkClientKey(value, path, faults, { mapped });
  checkIssuer(value, path, faults);
  const { token_endpoint: endpoint, client_secret: secret, auth_method: method } = value;
  const signs = signsAssertions(value);
  checkAuthMethod(method, `${path}.auth_method`, faults, [PRIVATE_KEY_JWT]);
  if (typeof endpoint !== 'string' || !isSecure(endpoint))
    faults.add(`${path}.token_endpoint`, 'must be a URL that begins with https://');
  if (!signs && !mapped.has('client_secret') && (secret === undefined || secret === null))
    faults.add(`${path}.client_secret`, 'is required; send it, or map client_secret to a secret reference');
}

const METADATA_MEMBERS = ['client_id', 'client_secret', 'auth_method', 'scope', 'issuer', ...KEY_MEMBERS];

/** Checks the client for an authorization server at which users sign in. */
function checkMetadata(value: unknown, path: string, faults: Faults, { mapped }: CheckedIntegration): void {
  if (!faults.object(value, path, METADATA_MEMBERS)) return;
  const { issuer, client_id: id, client_secret: secret, auth_method: method } = value;
  faults.optionalText(issuer, `${path}.issuer`, 2_048);
  if (method !== undefined && method !== null && !signsAssertions(value))
    faults.add(
      `${path}.auth_method`,
      `must be ${PRIVATE_KEY_JWT}, or absent: the authorization server says how it takes a secret`,
    );
  checkClientKey(value, path, faults, { mapped });
  // Without a client, the member only confirms the authorization server.
  const isClient = id !== undefined || secret !== undefined || signsAssertions(value);
  if (issuer === undefined || isClient) checkClient(value, path, faults);
  else faults.optionalText(value['scope'], `${path}.scope`, 2_048);
}

const MAX_TOKENS_MAX = 4_096;

/** Checks the workspace model that responds to sampling requests of the server. */
function checkSampling(value: unknown, path: string, faults: Faults): void {
  if (!faults.object(value, path, ['model', 'max_tokens'])) return;
  const { max_tokens: most } = value;
  faults.text(value['model'], `${path}.model`, 255);
  const isValid = Number.isInteger(most) && (most as number) >= 1 && (most as number) <= MAX_TOKENS_MAX;
  if (most !== undefined && !isValid)
    faults.add(`${path}.max_tokens`, `must be an integer from 1 to ${String(MAX_TOKENS_MAX)}`);
}

function checkSwitch(value: unknown, path: string, faults: Faults): void {
  if (typeof value !== 'boolean') faults.add(path, 'must be true or false');
}

type Check = (value: unknown, path: string, faults: Faults, of: CheckedIntegration) => void;

const CHECKS: Readonly<Record<string, Check>> = {
  headers: checkHeaders,
  passthrough_headers: checkPassthrough,
  passthrough_acknowledged: checkSwitch,
  forward_headers: checkForwarded,
  user_identity_forwarding: checkIdentity,
  allow_sampling: checkSwitch,
  sampling: checkSampling,
  retry_idempotent: checkSwitch,
  denial: (value, path, faults) => {
    if (value !== 'error' && value !== 'tool_error') faults.add(path, 'must be error or tool_error');
  },
  oauth_client_credentials: checkClientCredentials,
  aws_sigv4: checkAwsKey,
  token_exchange: checkTokenExchange,
  id_jag: checkIdJag,
  oauth_metadata: checkMetadata,
};

const KNOWN = Object.keys(CHECKS);
const ROOT = 'configurations';
const UNENFORCED: Readonly<Record<string, string>> = {
  jwt_validation: 'is not enforced; add a trust (POST /trusts) for the issuer of the tokens, and remove it',
  external_auth_config: 'is not enforced; use auth_type oauth_client_credentials, and remove it',
};

/** Returns all faults of `configurations`, with their paths. */
export function configurationFaultsOf(values: Fields, of: CheckedIntegration): readonly ErrorDetail[] {
  const faults = new Faults();
  for (const [name, value] of Object.entries(values)) {
    const path = `${ROOT}.${name.slice(0, 64)}`;
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
    if (check) check(value, path, faults, of);
    else faults.add(path, UNENFORCED[name] ?? `is unknown; send only ${KNOWN.join(', ')}`);
  }
  checkTogether(values, of, faults);
  return faults.found.slice(0, 100);
}

/** Members that describe a client with a token endpoint. */
const ENDPOINT_MEMBERS = ['oauth_client_credentials', 'token_exchange', 'id_jag'];
/** Members that their authentication type requires. */
const REQUIRED_MEMBERS = ['oauth_client_credentials', 'aws_sigv4', 'token_exchange', 'id_jag'];

function checkTogether(values: Fields, of: CheckedIntegration, faults: Faults): void {
  checkAuthentication(values, of, faults);
  const passed = values['passthrough_headers'];
  if (Array.isArray(passed) && passed.length > 0 && values['passthrough_acknowledged'] !== true)
    faults.add(
      `${ROOT}.passthrough_acknowledged`,
      'must be true: with passthrough_headers, the server receives what callers send in these headers',
    );
}

function checkAuthentication(values: Fields, of: CheckedIntegration, faults: Faults): void {
  const { authType, mapped, hasIssuer } = of;
  checkOwnMember(values, authType, faults);
  if (isExchanged(authType) && !hasIssuer)
    faults.add('auth_type', `${authType} needs the setting PUBLIC_URL, which names who asserts the user`);
  if (authType === 'headers' && [...Object.keys(values['headers'] ?? {}), ...mapped].length === 0)
    faults.add(`${ROOT}.headers`, 'is required with auth_type headers; send a header, or use auth_type none');
  if (authType === 'oauth_auto' && mapped.has('client_secret'))
    checkMappedClient(values['oauth_metadata'], faults);
}

function checkOwnMember(values: Fields, authType: McpAuthType, faults: Faults): void {
  const ownMember = MEMBER_OF[authType];
  for (const name of SECRET_MEMBERS)
    if (name !== ownMember && values[name] !== undefined)
      faults.add(`${ROOT}.${name}`, `is not used with auth_type ${authType}; remove it`);
  if (ownMember !== null && REQUIRED_MEMBERS.includes(ownMember) && values[ownMember] === undefined)
    faults.add(`${ROOT}.${ownMember}`, `is required with auth_type ${authType}`);
}

/**
 * Checks that a mapped client names its authorization server: a secret from a secret manager must
 * not go to a server that only the MCP server names.
 */
function checkMappedClient(client: unknown, faults: Faults): void {
  const { client_id: id, issuer } = isFields(client) ? client : {};
  for (const [name, value] of Object.entries({ client_id: id, issuer }))
    if (typeof value !== 'string')
      faults.add(
        `${ROOT}.oauth_metadata.${name}`,
        'is required with a secret mapping of client_secret; send it',
      );
}

/** Throws `custom_host_refused` with the path of the first address that the policy refuses. */
export function assertMcpAddresses(url: string, values: Fields, policy: AddressPolicy): void {
  assertAllowedUrl(policy, url, 'url');
  for (const [path, address] of Object.entries(clientAddresses(values)))
    if (address !== undefined && address !== null) assertAllowedUrl(policy, address, path);
}

/**
 * Returns the addresses to which secrets and signatures of clients are sent, by the paths of the
 * members that contain them. Without an issuer in `oauth_metadata`, the MCP server names the
 * authorization server.
 */
export function clientAddresses(values: Fields): Record<string, unknown> {
  const addresses: Record<string, unknown> = {};
  for (const name of ['oauth_metadata', 'oauth_client_credentials', 'token_exchange']) {
    const client = values[name];
    if (isFields(client) && (name === 'oauth_metadata' || signsAssertions(client)))
      addresses[`${ROOT}.${name}.issuer`] = client['issuer'];
  }
  for (const name of ENDPOINT_MEMBERS) {
    const client = values[name];
    if (!isFields(client)) continue;
    addresses[`${ROOT}.${name}.token_endpoint`] = client['token_endpoint'];
    if (name === 'id_jag') addresses[`${ROOT}.${name}.issuer`] = client['issuer'];
  }
  return addresses;
}

/** Secrets that may be in a secret manager, with the authentication types that use them. */
const MAPPED_SECRETS: Readonly<Record<ClientSecret, readonly McpAuthType[]>> = {
  client_secret: ['oauth_auto', 'oauth_client_credentials', 'token_exchange', 'id_jag'],
  private_key: ['oauth_auto', 'oauth_client_credentials', 'token_exchange'],
  secret_access_key: ['aws_sigv4'],
  server_client_secret: ['id_jag'],
};
const MAPPED_HEADER = /^headers\.(.+)$/s;

/** Returns the stored target of a secret mapping; null for a field that cannot be mapped. */
export function mcpTargetOf(field: string, authType: McpAuthType): string | null {
  const header = MAPPED_HEADER.exec(field)?.[1];
  if (authType === 'headers')
    return header !== undefined && sentHeaderFault(header) === null
      ? `headers.${header.toLowerCase()}`
      : null;
  const isUsed =
    Object.hasOwn(MAPPED_SECRETS, field) && MAPPED_SECRETS[field as ClientSecret].includes(authType);
  return isUsed ? field : null;
}
