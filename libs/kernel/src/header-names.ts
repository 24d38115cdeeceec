/** Headers of one connection, never of the message: RFC 9110 section 7.6.1, and what older proxies treat alike. */
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

/** Headers that say how a message is framed and where it goes. The sender of the message writes them. */
export const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'expect',
  'host',
]);

/** Headers of the content, which the sender of a request writes. */
const CONTENT_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-type', 'last-event-id'],
]);

/** Whether only the sender of a request writes a header: of its content, its framing or its connection. `name` in lower case. */
export const isSendersHeader = (name: string): boolean =>
  CONTENT_HEADERS.has(name) || FRAMING_HEADERS.has(name) || HOP_BY_HOP_HEADERS.has(name);

const METADATA_NAMES: ReadonlySet<string> = new Set(['metadata', 'x-identity-header']);
const METADATA_PREFIXES = ['metadata-', 'x-metadata-', 'x-google-metadata-', 'x-aws-ec2-metadata-'];

/** Headers that the metadata services of clouds obey. `name` in lower case. */
export const isMetadataHeader = (name: string): boolean =>
  METADATA_NAMES.has(name) || METADATA_PREFIXES.some((prefix) => name.startsWith(prefix));

/**
 * Matches a character that a header value must not contain: RFC 9110 section 5.5 allows visible
 * characters, spaces, tabs and bytes above ASCII.
 */
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** True for a text that can be sent as the value of a header. */
export const isHeaderValue = (text: string): boolean => !NOT_IN_A_VALUE.test(text);

/** Headers by which a caller or a gateway shows who it is. */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'api-key',
  'authorization',
  'cookie',
  'x-api-key',
  'x-goog-api-key',
]);

/** More headers of the same kind: those of particular services, and tokens of sessions. */
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

/** True for a header that carries a credential by its name. `name` in lower case. */
export const isCredentialHeader = (name: string): boolean =>
  CREDENTIAL_HEADERS.has(name) || MORE_CREDENTIALS.has(name) || CREDENTIAL_WORD.test(name);
