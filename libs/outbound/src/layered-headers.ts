import { FRAMING_HEADERS, HOP_BY_HOP_HEADERS, isHeaderValue } from '@gw/kernel';

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
/** Headers of the content and of the connection, which the sender of a request writes. */
const CONTENT_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-type', 'content-encoding', 'expect', 'host', 'last-event-id'],
]);

/** Whether only the sender of a request writes a header: of its content, its framing or its connection. `name` in lower case. */
export const isSendersHeader = (name: string): boolean =>
  CONTENT_HEADERS.has(name) || FRAMING_HEADERS.has(name) || HOP_BY_HOP_HEADERS.has(name);

/** Headers of one request by who writes them; later layers win. Names of `protocol` are in lower case. */
export interface HeaderLayers {
  /** Those of every request to the server, such as its credential. */
  readonly configured: Readonly<Record<string, string>>;
  /** Those of the caller. */
  readonly ofCall: Readonly<Record<string, string>>;
  readonly protocol: Readonly<Record<string, string>>;
}

export interface HeaderRules {
  /** Whether only the protocol writes a header. */
  readonly isReserved: (name: string) => boolean;
  /** Makes the error for a header of the first two layers that cannot be sent. */
  readonly refused: (name: string) => Error;
}

/**
 * Returns the headers of a request as names and values in turn. Throws what `refused` makes for a reserved or malformed header of
 * the first two layers. Responses must not be compressed, since streams are parsed as they arrive.
 */
export function layeredHeaders(
  { configured, ofCall, protocol }: HeaderLayers,
  { isReserved, refused }: HeaderRules,
): readonly string[] {
  const fields = new Map<string, string>([['user-agent', 'tollgate']]);
  for (const [name, value] of [...Object.entries(configured), ...Object.entries(ofCall)]) {
    const lower = name.toLowerCase();
    if (!NAME.test(name) || isReserved(lower) || !isHeaderValue(value)) throw refused(name.slice(0, 64));
    fields.set(lower, value);
  }
  for (const [name, value] of Object.entries(protocol)) fields.set(name, value);
  fields.set('accept-encoding', 'identity');
  return [...fields].flat();
}
