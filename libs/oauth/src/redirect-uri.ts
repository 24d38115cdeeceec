import { publicHostFault, readableHost } from './host';
import { authorityOf, schemeOf, uriTextFault } from './uri-text';

/** Private-use redirect URIs (RFC 8252) that clients may always register. */
export const DEFAULT_PRIVATE_USE_URIS: readonly string[] = ['cursor://anysphere.cursor-mcp/oauth/callback'];

export interface RedirectUriOptions {
  /**
   * Complete private-use URIs (not schemes) that the operator allows in addition to the default
   * ones.
   */
  readonly privateUseRedirectUris?: readonly string[];
  /**
   * Whether an administrator registers the client: private-use URIs in reverse-domain form are
   * allowed then.
   */
  readonly isPreRegistered?: boolean;
}

/** Schemes that run code, read files or open no app. No setting allows them. */
const DENIED: ReadonlySet<string> = new Set([
  ...['javascript', 'data', 'vbscript', 'file', 'blob', 'about'],
  ...['ws', 'wss', 'ftp', 'view-source', 'intent'],
]);
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+$/;
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/s;

/**
 * Returns why a client cannot use a redirect URI; undefined when it can. Call it when the URI is
 * registered and again when it is used, because the rules may have changed.
 */
export function redirectUriFault(uri: unknown, options: RedirectUriOptions = {}): string | undefined {
  if (typeof uri !== 'string') return 'must be a string';
  const text = uriTextFault(uri);
  if (text !== undefined) return text;
  const parts = schemeOf(uri);
  if (parts === null) return 'must be absolute, such as https://app.example.com/callback';
  const { scheme, rest } = parts;
  if (scheme === 'https') return httpsFault(rest);
  if (scheme === 'http') return isLoopbackRedirect(uri) ? undefined : loopbackFault(rest);
  return unlistedUriFault(uri, scheme, options);
}

function httpsFault(rest: string): string | undefined {
  const authority = authorityOf(rest);
  return typeof authority === 'string' ? authority : publicHostFault(authority.host);
}

function loopbackFault(rest: string): string {
  const authority = authorityOf(rest);
  return typeof authority === 'string'
    ? authority
    : 'must begin with https://; http:// is only for 127.0.0.1, [::1] and localhost';
}

function unlistedUriFault(uri: string, scheme: string, options: RedirectUriOptions): string | undefined {
  const denied = deniedFault(scheme);
  if (denied !== undefined) return denied;
  const allowed = [...DEFAULT_PRIVATE_USE_URIS, ...(options.privateUseRedirectUris ?? [])];
  if (allowed.includes(uri)) return undefined;
  if (options.isPreRegistered !== true)
    return 'must begin with https://, or be a loopback address, or be listed in OAUTH_PRIVATE_SCHEMES';
  if (!REVERSE_DOMAIN.test(scheme))
    return 'must have a scheme in reverse-domain form, such as com.example.app:/callback';
  return hasUser(uri) ? 'must not have a user or password' : undefined;
}

const hasUser = (uri: string): boolean => /^[^/?]*:\/\/[^/?]*@/.test(uri);

function deniedFault(scheme: string): string | undefined {
  const name = scheme.toLowerCase();
  const isDenied = DENIED.has(name) || name.startsWith('chrome') || name === 'http' || name === 'https';
  return isDenied ? `must not have the scheme ${scheme.slice(0, 32)}` : undefined;
}

/** Returns why the operator cannot allow a private-use URI; undefined if it can be allowed. */
export function privateUseUriFault(address: string): string | undefined {
  const text = uriTextFault(address);
  if (text !== undefined) return text;
  const parts = schemeOf(address);
  if (parts === null || /^\/*$/.test(parts.rest))
    return 'must be a whole address, such as com.example.app:/callback';
  return deniedFault(parts.scheme);
}

/**
 * Whether a redirect URI is a loopback URI, where any program of the user's computer may listen.
 */
export const isLoopbackRedirect = (uri: string): boolean => readLoopback(uri) !== null;

/** Returns host and path of a loopback URI without its port; null for another URI. */
function readLoopback(uri: string): string | null {
  const [, host, port, rest] = LOOPBACK.exec(uri) ?? [];
  if (host === undefined || rest === undefined || Number(port ?? 1) > 65_535) return null;
  return `${host} ${rest}`;
}

/**
 * Whether a requested redirect URI matches a registered one: it is the same text, or a loopback URI
 * that differs only in its port (RFC 8252).
 */
export function sameRedirectUri(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  const loopback = readLoopback(registered);
  return loopback !== null && loopback === readLoopback(requested);
}

/**
 * Returns the host of a redirect URI as a consent page shows it; the URI itself when it has no
 * host.
 */
export function shownHost(uri: string): string {
  const parts = schemeOf(uri);
  const authority = parts === null ? '' : authorityOf(parts.rest);
  return typeof authority === 'string' ? uri : readableHost(authority.host);
}
