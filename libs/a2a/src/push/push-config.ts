import { type AddressPolicy, isHeaderValue, isVisibleAscii, URL_LENGTH_MAX } from '@gw/kernel';
import { A2aError } from '../protocol/errors';
import { objectAt, type Members } from '../shapes/members';
import { withErrorKind } from '../shapes/translate';

/** Maximum number of push notification configs of one task. */
export const PUSH_CONFIGS_MAX = 10;
const SECRET_LENGTH_MAX = 4_096;
const CONFIG_ID_LENGTH_MAX = 255;
/** Scheme of an Authorization header (RFC 9110, section 11.1). */
const SCHEME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** Rules for the addresses of push notifications. */
export interface PushRules {
  readonly policy: AddressPolicy;
  /**
   * Public URLs of this gateway. A notification to one of them would call the gateway with a
   * client's credentials.
   */
  readonly ownUrls: readonly string[];
  /** Whether plain http is allowed, as on a developer's machine. */
  readonly allowsHttp?: boolean;
}

/** A push notification config of a client. Its secrets are sealed where it is stored. */
export interface PushConfig {
  /** Id that the client chose; null for none. */
  readonly id: string | null;
  readonly url: string;
  /** Sent as `X-A2A-Notification-Token`; null for none. */
  readonly token: string | null;
  /** Sent as `Authorization`; null for none. */
  readonly authentication: { readonly scheme: string; readonly credentials: string } | null;
}

/**
 * Returns why notifications cannot go to a URL; null when they can. Judges only the text. Callers
 * use it when they save a config and before each notification; `pushAddressFault` then judges the
 * resolved addresses.
 */
export function pushUrlFault(
  url: unknown,
  { policy, ownUrls, allowsHttp = false }: PushRules,
): string | null {
  const verdict = policy.checkUrl(url);
  if (!verdict.ok) return verdict.rule;
  if (verdict.url.protocol !== 'https:' && !allowsHttp) return 'The URL must begin with https://.';
  const host = hostOf(verdict.url);
  return ownUrls.some((own) => URL.canParse(own) && hostOf(new URL(own)) === host)
    ? 'The URL must not be one of this gateway.'
    : null;
}

/** Returns host and port, without a final dot of the name. */
const hostOf = ({ hostname, port }: URL): string =>
  `${hostname.endsWith('.') ? hostname.slice(0, -1) : hostname}:${port}`;

/**
 * Returns why a notification cannot be sent to the addresses that the host of a URL has now; null
 * when it can. A name may resolve to other addresses than when the config was saved. `addresses`
 * are IPv4 and IPv6 literals, all of which must be allowed.
 */
export function pushAddressFault(url: string, addresses: readonly string[], rules: PushRules): string | null {
  const fault = pushUrlFault(url, rules);
  if (fault !== null) return fault;
  if (addresses.length === 0) return 'The host has no address.';
  const host = bareHost(new URL(url));
  for (const address of addresses) {
    const verdict = rules.policy.checkAddress(address, host);
    if (!verdict.ok) return verdict.rule;
  }
  return null;
}

const bareHost = ({ hostname }: URL): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

/**
 * Reads a push notification config as 1.0 writes it. `stored` is the number of other configs that
 * the task has. Throws `A2aError` `invalidParams`.
 */
export function readPushConfig(config: Members, stored: number, rules: PushRules): PushConfig {
  if (stored >= PUSH_CONFIGS_MAX)
    throw new A2aError(
      'invalidParams',
      `A task has at most ${String(PUSH_CONFIGS_MAX)} push notification configs; delete one first.`,
    );
  const { id, url, token } = config;
  const fault = pushUrlFault(url, rules);
  if (fault !== null || typeof url !== 'string' || url.length > URL_LENGTH_MAX)
    throw new A2aError('invalidParams', `The push notification URL is not allowed. ${fault ?? ''}`.trim());
  return {
    id: textOf(id, 'id', CONFIG_ID_LENGTH_MAX),
    url,
    token: headerTextOf(token, 'token'),
    authentication: authenticationOf(config),
  };
}

function textOf(value: unknown, name: string, lengthMax: number): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= lengthMax && isVisibleAscii(value)) return value;
  throw new A2aError(
    'invalidParams',
    `${name} must be a text of visible characters, at most ${String(lengthMax)}.`,
  );
}

function headerTextOf(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= SECRET_LENGTH_MAX && isHeaderValue(value)) return value;
  throw new A2aError(
    'invalidParams',
    `${name} must be one line of at most ${String(SECRET_LENGTH_MAX)} characters.`,
  );
}

function authenticationOf({ authentication }: Members): PushConfig['authentication'] {
  if (authentication === undefined || authentication === null) return null;
  const { scheme, credentials } = withErrorKind('invalidParams', () =>
    objectAt(authentication, 'authentication'),
  );
  const secret = headerTextOf(credentials, 'authentication.credentials');
  if (secret === null) return null;
  if (typeof scheme !== 'string' || !SCHEME.test(scheme))
    throw new A2aError('invalidParams', 'authentication.scheme must name a scheme, such as Bearer.');
  return { scheme, credentials: secret };
}
