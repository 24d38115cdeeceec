import type { McpAuthType } from '@gw/contracts';
import { assertAllowedUrl, isSecureUrl, type AddressPolicy, type ErrorDetail } from '@gw/kernel';
import { headerMapFaults } from '../credentials/header-map';
import { shortenedFault } from '../credentials/shown-secret';
import { forwardedHeaderFault, sentHeaderFault } from './header-names';

type Fields = Readonly<Record<string, unknown>>;

/** Fields of the integration that the checks of `configurations` use. */
export interface CheckedIntegration {
  readonly authType: McpAuthType;
  readonly url: string;
  /** Targets of secret mappings. */
  readonly mapped: ReadonlySet<string>;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Collects faults with their paths. */
export class Faults {
  readonly found: ErrorDetail[] = [];

  add(path: string, message: string | null): void {
    if (message !== null) this.found.push({ path, message });
  }

  /** Whether the value is an object with known members only. */
  object(value: unknown, path: string, known: readonly string[]): value is Fields {
    if (!isFields(value)) {
      this.add(path, 'must be an object');
      return false;
    }
    for (const name of Object.keys(value).filter((each) => !known.includes(each)))
      this.add(`${path}.${name.slice(0, 64)}`, `is unknown; send only ${known.join(', ')}`);
    return true;
  }

  text(value: unknown, path: string, max: number): void {
    if (typeof value !== 'string' || value === '') this.add(path, 'must be a non-empty text');
    else if (value.length > max) this.add(path, `must have at most ${String(max)} characters`);
  }

  optionalText(value: unknown, path: string, max: number): void {
    if (value !== undefined && value !== null) this.text(value, path, max);
  }
}

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

const CLAIMS = ['sub', 'organisation_id', 'workspace_id', 'api_key_id'];

function checkIdentity(value: unknown, path: string, faults: Faults, { url }: CheckedIntegration): void {
  if (!faults.object(value, path, ['method', 'include_claims', 'header_name'])) return;
  const { method, include_claims: claims, header_name: header } = value;
  if (method !== 'claims_header')
    faults.add(`${path}.method`, 'must be claims_header; other methods are not enforced');
  if (!/^https:/i.test(url)) faults.add(path, 'is sent over https only; change the scheme of url');
  if (
    claims !== undefined &&
    !(isTexts(claims, CLAIMS.length) && claims.every((each) => CLAIMS.includes(each)))
  )
    faults.add(`${path}.include_claims`, `must be a list of ${CLAIMS.join(', ')}`);
  if (header !== undefined) faults.add(`${path}.header_name`, sentHeaderFault(header));
}

const isTexts = (value: unknown, max: number): value is readonly string[] =>
  Array.isArray(value) &&
  value.length <= max &&
  value.every((each) => typeof each === 'string' && each !== '' && each.length <= 255);

export function checkClient(value: Fields, path: string, faults: Faults): void {
  faults.text(value['client_id'], `${path}.client_id`, 1_024);
  faults.optionalText(value['client_secret'], `${path}.client_secret`, 8_192);
  faults.add(`${path}.client_secret`, shortenedFault(value['client_secret']));
  faults.optionalText(value['scope'], `${path}.scope`, 2_048);
}

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post'];

/** Checks how a client authenticates at a token endpoint; absent means HTTP Basic. */
export function checkAuthMethod(
  method: unknown,
  path: string,
  faults: Pick<Faults, 'add'>,
  more: readonly string[] = [],
): void {
  const knownMethods = [...AUTH_METHODS, ...more];
  if (method !== undefined && !knownMethods.some((each) => each === method))
    faults.add(path, `must be one of ${knownMethods.join(', ')}`);
}

/**
 * Whether an address is secure, as `isSecureUrl` decides; also accepts `HTTPS:` in upper case,
 * because people write it.
 */
export const isSecure = (url: string): boolean => isSecureUrl(url.replace(/^https:/i, 'https:'));

/** Members of `oauth_client_credentials`, the client configuration. */
export const CLIENT_MEMBERS = ['token_endpoint', 'client_id', 'client_secret', 'auth_method', 'scope'];

function checkClientCredentials(
  value: unknown,
  path: string,
  faults: Faults,
  { mapped }: CheckedIntegration,
): void {
  if (!faults.object(value, path, CLIENT_MEMBERS)) return;
  checkClient(value, path, faults);
  const { token_endpoint: endpoint, client_secret: secret, auth_method: method } = value;
  checkAuthMethod(method, `${path}.auth_method`, faults);
  if (typeof endpoint !== 'string' || !isSecure(endpoint))
    faults.add(`${path}.token_endpoint`, 'must be a URL that begins with https://');
  if (!mapped.has('client_secret') && (secret === undefined || secret === null))
    faults.add(`${path}.client_secret`, 'is required; send it, or map client_secret to a secret reference');
}

export type ConfigurationCheck = (
  value: unknown,
  path: string,
  faults: Faults,
  of: CheckedIntegration,
) => void;

/** Checks that a member is true or false. */
export const checkSwitch: ConfigurationCheck = (value, path, faults) => {
  if (typeof value !== 'boolean') faults.add(path, 'must be true or false');
};

/** Checks of the members of `configurations` that every kind of integration accepts. */
export const COMMON_CHECKS: Readonly<Record<string, ConfigurationCheck>> = {
  headers: checkHeaders,
  passthrough_headers: checkPassthrough,
  passthrough_acknowledged: checkSwitch,
  forward_headers: checkForwarded,
  user_identity_forwarding: checkIdentity,
  oauth_client_credentials: checkClientCredentials,
};

/** Allowed members of `configurations` of one kind of integration. */
export interface ConfigurationRules {
  readonly checks: Readonly<Record<string, ConfigurationCheck>>;
  /** Member that contains the secret of each authentication type; null for none. */
  readonly memberOf: Readonly<Record<McpAuthType, string | null>>;
  /** Reason why a member known from other products is refused, by member. */
  readonly unenforced: Readonly<Record<string, string>>;
}

/**
 * Member that contains the secret of each authentication type, for kinds of integrations that
 * support all types.
 */
export const MEMBER_OF: ConfigurationRules['memberOf'] = {
  none: null,
  headers: 'headers',
  oauth_auto: 'oauth_metadata',
  oauth_client_credentials: 'oauth_client_credentials',
  // These types exist only for MCP servers.
  aws_sigv4: null,
  token_exchange: null,
  id_jag: null,
};

const ROOT = 'configurations';

/** Returns all faults of `configurations`, with their paths. */
export function configurationFaultsOf(
  { checks, unenforced }: ConfigurationRules,
  values: Fields,
  of: CheckedIntegration,
): readonly ErrorDetail[] {
  const faults = new Faults();
  const knownNames = Object.keys(checks).join(', ');
  for (const [name, value] of Object.entries(values)) {
    const path = `${ROOT}.${name.slice(0, 64)}`;
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check) check(value, path, faults, of);
    else faults.add(path, unenforced[name] ?? `is unknown; send only ${knownNames}`);
  }
  checkTogether(values, of, faults);
  return faults.found.slice(0, 100);
}

function checkTogether(values: Fields, { authType, mapped }: CheckedIntegration, faults: Faults): void {
  const ownMember = MEMBER_OF[authType];
  for (const name of Object.values(MEMBER_OF).filter((each) => each !== null))
    if (name !== ownMember && values[name] !== undefined)
      faults.add(`${ROOT}.${name}`, `is not used with auth_type ${authType}; remove it`);
  if (authType === 'headers' && [...Object.keys(values['headers'] ?? {}), ...mapped].length === 0)
    faults.add(`${ROOT}.headers`, 'is required with auth_type headers; send a header, or use auth_type none');
  if (authType === 'oauth_client_credentials' && values['oauth_client_credentials'] === undefined)
    faults.add(`${ROOT}.oauth_client_credentials`, 'is required with auth_type oauth_client_credentials');
  const passed = values['passthrough_headers'];
  if (Array.isArray(passed) && passed.length > 0 && values['passthrough_acknowledged'] !== true)
    faults.add(
      `${ROOT}.passthrough_acknowledged`,
      'must be true: with passthrough_headers, the server receives what callers send in these headers',
    );
}

/** Throws `custom_host_refused` with the path of the first address that the policy refuses. */
export function assertUpstreamAddresses(url: string, values: Fields, policy: AddressPolicy): void {
  assertAllowedUrl(policy, url, 'url');
  const client = values['oauth_client_credentials'];
  if (isFields(client))
    assertAllowedUrl(policy, client['token_endpoint'], `${ROOT}.oauth_client_credentials.token_endpoint`);
}
