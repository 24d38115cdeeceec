import { isHeaderName, isHeaderValue } from '@gw/kernel';

type Headers = Readonly<Record<string, string>>;

/** Headers of one request, by their source. */
export interface HeaderLayers {
  /** Headers of every request to the server, such as its credential. */
  readonly configured: Headers;
  /** Headers of the caller, which override the configured ones. */
  readonly ofCall: Headers;
  /** Headers of the protocol: names in lower case, all of them reserved. */
  readonly protocol: Headers;
}

export interface HeaderRules {
  /** Whether only the protocol may set a header. `name` in lower case. */
  readonly isReserved: (name: string) => boolean;
  /** Creates the error for a configured header or a header of the caller that cannot be sent. */
  readonly refused: (name: string) => Error;
}

/**
 * Returns the headers of a request as a flat list of names and values. Throws the error of
 * `refused` for a reserved header of the first two layers, and for names and values that are
 * invalid in HTTP.
 */
export function layeredHeaders(
  { configured, ofCall, protocol }: HeaderLayers,
  rules: HeaderRules,
): readonly string[] {
  const fields = new Map<string, string>();
  check(configured, rules, fields);
  check(ofCall, rules, fields);
  const list: string[] = [];
  // The first two layers cannot contain names of the protocol, so no name is duplicated.
  for (const name in protocol) list.push(name, protocol[name] as string);
  if (!fields.has('user-agent')) list.push('user-agent', 'tollgate');
  for (const [name, value] of fields) list.push(name, value);
  // Refuse compression, because compressors delay events of streams.
  list.push('accept-encoding', 'identity');
  return list;
}

function check(headers: Headers, { isReserved, refused }: HeaderRules, fields: Map<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!isHeaderName(name) || isReserved(lower) || !isHeaderValue(value)) throw refused(name.slice(0, 64));
    fields.set(lower, value);
  }
}
