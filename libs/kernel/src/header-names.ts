/**
 * Headers that apply to one connection and are not forwarded: RFC 9110 section 7.6.1, and further
 * ones that older proxies treat alike.
 */
export const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers on the framing and the destination of a message. Each sender sets its own. */
export const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'expect',
  'host',
]);

/** Headers on the content of a request, which its sender sets. */
const CONTENT_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-type', 'last-event-id'],
]);

/**
 * Returns whether only the sender of a request sets a header: on its content, framing or
 * connection. `name` must be in lower case.
 */
export const isSendersHeader = (name: string): boolean =>
  CONTENT_HEADERS.has(name) || FRAMING_HEADERS.has(name) || HOP_BY_HOP_HEADERS.has(name);

const METADATA_NAMES: ReadonlySet<string> = new Set(['metadata', 'x-identity-header']);
const METADATA_PREFIXES = ['metadata-', 'x-metadata-', 'x-google-metadata-', 'x-aws-ec2-metadata-'];

/**
 * Returns whether a header authorises requests to metadata services of clouds. `name` must be in
 * lower case.
 */
export const isMetadataHeader = (name: string): boolean =>
  METADATA_NAMES.has(name) || METADATA_PREFIXES.some((prefix) => name.startsWith(prefix));

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Maximum characters of names of headers that users and servers choose. */
const NAME_LENGTH_MAX = 128;

/** Returns whether a text is a token (RFC 9110 section 5.6.2), such as a method or a header name. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Returns whether a text is a name of a header, with at most 128 characters. */
export const isHeaderName = (text: string): boolean => text.length <= NAME_LENGTH_MAX && isToken(text);

/**
 * Matches a character that a header value must not contain: RFC 9110 section 5.5 allows visible
 * characters, spaces, tabs and bytes above ASCII.
 */
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Returns whether a text can be sent as the value of a header. */
export const isHeaderValue = (text: string): boolean => !NOT_IN_A_VALUE.test(text);

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Returns whether a text has only printable ASCII characters without spaces, and at least one.
 */
export const isVisibleAscii = (text: string): boolean => VISIBLE_ASCII.test(text);

/** Headers with which a caller or a gateway authenticates. */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'api-key',
  'authorization',
  'cookie',
  'x-api-key',
  'x-goog-api-key',
]);

/** Further credential headers: those of particular services, and session tokens. */
const MORE_CREDENTIALS: ReadonlySet<string> = new Set([
  'api-subscription-key',
  'cookie2',
  'dpop',
  'ocp-apim-subscription-key',
  'proxy-authorization',
  'set-cookie',
  'x-amz-credential',
  'x-amz-security-token',
  'x-csrf-token',
  'x-functions-key',
  'x-vault-token',
  'x-xsrf-token',
]);
const CREDENTIAL_WORD =
  /(?:^|[-_])(?:api-?key|apikey|auth|authenticate|authentication|authorization|credentials?|jwt|passw(?:or)?d|secret|session-token|access-token|id-token|refresh-token)(?:[-_]|$)/;

/**
 * Returns whether a header carries a credential, judged by its name. `name` must be in lower case.
 */
export const isCredentialHeader = (name: string): boolean =>
  CREDENTIAL_HEADERS.has(name) || MORE_CREDENTIALS.has(name) || CREDENTIAL_WORD.test(name);
