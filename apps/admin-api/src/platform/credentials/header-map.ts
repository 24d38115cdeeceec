import { GATEWAY_HEADER_PREFIX } from '@gw/contracts';
import { FRAMING_HEADERS, HOP_BY_HOP_HEADERS, type ErrorDetail } from '@gw/kernel';

const HEADERS_MAX = 64;
const MASK = '*****';
/** Parts of the names of headers that may carry a credential. */
const TELLING = /auth|cookie|credential|key|pass|secret|session|sign|token/i;
const VALUE_LENGTH_MAX = 8_192;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** Visible ASCII, spaces, tabs and the bytes that HTTP calls obs-text. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names of the connection and of the framing, where a saved value would break the request, and the gateway's own. */
const isReserved = (name: string): boolean =>
  HOP_BY_HOP_HEADERS.has(name) || FRAMING_HEADERS.has(name) || name.startsWith(GATEWAY_HEADER_PREFIX);

/** A flat map of header names to texts that can be sent as they are: every rule it breaks, with its path. */
export function headerMapFaults(value: unknown, path: string): ErrorDetail[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ path, message: 'must be an object of header names and texts' }];
  }
  const entries = Object.entries(value);
  if (entries.length > HEADERS_MAX)
    return [{ path, message: `must have at most ${String(HEADERS_MAX)} headers` }];
  return entries.flatMap(([name, content]) => {
    const message = headerFault(name, content);
    return message === null ? [] : [{ path: `${path}.${name}`, message }];
  });
}

/** True for what a read shows in the place of a header's value. */
export const isMaskedHeader = (value: unknown): boolean => value === MASK;

/** What a read shows of saved headers. */
export const maskHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, TELLING.test(name) ? MASK : value]),
  );

/** A header that comes back as a read showed it, masked, keeps its saved value. */
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
  if (isReserved(name.toLowerCase())) return 'may not be set';
  if (typeof content !== 'string') return 'must be a text';
  if (content.length > VALUE_LENGTH_MAX) return `must have at most ${String(VALUE_LENGTH_MAX)} characters`;
  return VALUE.test(content) ? null : 'must have no line breaks or control characters';
}
