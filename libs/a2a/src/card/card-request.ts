import {
  assertAllowedUrl,
  FRAMING_HEADERS,
  GatewayError,
  HOP_BY_HOP_HEADERS,
  isHeaderValue,
  isMetadataHeader,
  type AddressPolicy,
} from '@gw/kernel';
import { VERSION_HEADER } from '../protocol/versions';

/** How a card is fetched: `headers` sends one header, the others send none. */
export const CARD_AUTH_TYPES = ['none', 'headers', 'oauth_auto', 'oauth_client_credentials'] as const;

/**
 * Unchecked credential for fetching a card: members of `POST
 * /v2/agent-integrations/fetch-agent-card`.
 */
export interface CardCredential {
  readonly authType?: unknown;
  /** Name of the header; `Authorization` with a bearer token when absent. */
  readonly authHeader?: unknown;
  readonly authToken?: unknown;
}

/**
 * Paths of a card below its endpoint in the order of attempts: the path of 0.3 and 1.0, then the
 * older one.
 */
export const CARD_PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json'] as const;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
const TOKEN_LENGTH_MAX = 8_192;
/** Headers that the fetch itself writes. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'user-agent', VERSION_HEADER]);

/**
 * Returns the URLs of an endpoint's card in the order of attempts. If the endpoint is itself the
 * URL of a card, it is the only one. Throws `GatewayError` `custom_host_refused`.
 */
export function cardUrls(policy: AddressPolicy, endpoint: unknown): readonly URL[] {
  const url = assertAllowedUrl(policy, endpoint, 'endpoint');
  if (CARD_PATHS.some((path) => url.pathname.endsWith(path))) return [url];
  const base = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  return CARD_PATHS.map((path) =>
    assertAllowedUrl(policy, url.origin + base + path + url.search, 'endpoint'),
  );
}

/**
 * Returns the headers of a card's request that carry its credential. Throws `GatewayError`
 * `validation_failed` for a reserved or malformed header.
 */
export function cardCredentialHeaders({
  authType = 'none',
  authHeader,
  authToken,
}: CardCredential): Readonly<Record<string, string>> {
  if (!CARD_AUTH_TYPES.some((type) => type === authType))
    throw refused('authType', `must be one of ${CARD_AUTH_TYPES.join(', ')}`);
  if (authType !== 'headers') return {};
  const token = tokenOf(authToken);
  if (authHeader === undefined || authHeader === '') return { authorization: `Bearer ${token}` };
  if (typeof authHeader !== 'string' || !HEADER_NAME.test(authHeader))
    throw refused('authHeader', 'must be the name of a header');
  const name = authHeader.toLowerCase();
  if (isReserved(name)) throw refused('authHeader', 'names a header that the gateway writes itself');
  return { [name]: token };
}

function tokenOf(token: unknown): string {
  if (typeof token !== 'string' || token.trim() === '') throw refused('authToken', 'is required for headers');
  if (token.length > TOKEN_LENGTH_MAX)
    throw refused('authToken', `must have at most ${String(TOKEN_LENGTH_MAX)} characters`);
  if (!isHeaderValue(token)) throw refused('authToken', 'must be one line of visible characters');
  return token;
}

const isReserved = (name: string): boolean =>
  HOP_BY_HOP_HEADERS.has(name) ||
  FRAMING_HEADERS.has(name) ||
  OWN_HEADERS.has(name) ||
  isMetadataHeader(name) ||
  name.startsWith('x-forwarded-') ||
  name.startsWith('proxy-') ||
  name === 'forwarded';

/**
 * Returns the error of a member of the request or of the agent's response. `rule` completes the
 * sentence that begins with the member.
 */
export const refused = (param: string, rule: string): GatewayError =>
  new GatewayError('validation_failed', {
    param,
    message: `${param} ${rule}.`,
    details: [{ path: param, message: rule }],
  });
