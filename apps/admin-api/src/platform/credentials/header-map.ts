import { GATEWAY_HEADER_PREFIX } from '@gw/contracts';
import { FRAMING_HEADERS, HOP_BY_HOP_HEADERS, type ErrorDetail } from '@gw/kernel';

const HEADERS_MAX = 64;
/** Mask that responses show instead of a secret. */
export const MASK = '*****';
/** Matches names of headers that may contain a credential. */
const CREDENTIAL_NAME = /auth|cookie|credential|key|pass|secret|session|sign|token/i;
const VALUE_LENGTH_MAX = 8_192;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** Visible ASCII, spaces, tabs and the bytes that HTTP calls obs-text. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Whether a header controls the connection or framing, where a saved value would break the request,
 * or belongs to the gateway.
 */
const isReserved = (name: string): boolean =>
  HOP_BY_HOP_HEADERS.has(name) || FRAMING_HEADERS.has(name) || name.startsWith(GATEWAY_HEADER_PREFIX);

/** Returns all faults of a map of header names to strings, with their paths. */
export function headerMapFaults(value: unknown, path: string): ErrorDetail[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ path, message: 'must be an object of header names and strings' }];
  }
  const entries = Object.entries(value);
  if (entries.length > HEADERS_MAX)
    return [{ path, message: `must have at most ${String(HEADERS_MAX)} headers` }];
  return entries.flatMap(([name, content]) => {
    const message = headerFault(name, content);
    return message === null ? [] : [{ path: `${path}.${name}`, message }];
  });
}

/** Whether a value is the mask that responses show instead of a header's value. */
export const isMaskedHeader = (value: unknown): boolean => value === MASK;

/** Returns saved headers as a response shows them: values that may be credentials are masked. */
export const maskHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, CREDENTIAL_NAME.test(name) ? MASK : value]),
  );

/** Replaces masked header values in a request with the saved values. */
export const unmaskedHeaders = (
  input: Readonly<Record<string, string>>,
  saved: Readonly<Record<string, unknown>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const before = saved[name];
      return [name, value === MASK && typeof before === 'string' ? before : value];
    }),
  );

function headerFault(name: string, content: unknown): string | null {
  if (!NAME.test(name)) return 'must be a valid header name';
  if (isReserved(name.toLowerCase())) return 'is reserved and may not be set';
  if (typeof content !== 'string') return 'must be a string';
  if (content.length > VALUE_LENGTH_MAX) return `must have at most ${String(VALUE_LENGTH_MAX)} characters`;
  return VALUE.test(content) ? null : 'must not contain line breaks or control characters';
}
