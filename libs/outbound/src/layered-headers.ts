import { isHeaderValue } from '@gw/kernel';

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;

type Headers = Readonly<Record<string, string>>;

/** Headers of one request by who writes them. */
export interface HeaderLayers {
  /** Headers of every request to the server, such as its credential. */
  readonly configured: Headers;
  /** Headers of the caller, which override the configured ones. */
  readonly ofCall: Headers;
  /** Names in lower case, all of them reserved. */
  readonly protocol: Headers;
}

export interface HeaderRules {
  /** Whether only the protocol writes a header. `name` in lower case. */
  readonly isReserved: (name: string) => boolean;
  /** Makes the error for a header of the first two layers that cannot be sent. */
  readonly refused: (name: string) => Error;
}

/**
 * Returns the headers of a request as names and values in turn. Throws what `refused` makes for a reserved header of the first two
 * layers, and for names and values that would break the head.
 */
export function layeredHeaders(
  { configured, ofCall, protocol }: HeaderLayers,
  rules: HeaderRules,
): readonly string[] {
  const fields = new Map<string, string>();
  check(configured, rules, fields);
  check(ofCall, rules, fields);
  const list: string[] = [];
  // Names of the protocol are refused above, so that no name is here twice.
  for (const name in protocol) list.push(name, protocol[name] as string);
  if (!fields.has('user-agent')) list.push('user-agent', 'tollgate');
  for (const [name, value] of fields) list.push(name, value);
  // Streams are read as they arrive, and compressors hold events back.
  list.push('accept-encoding', 'identity');
  return list;
}

function check(headers: Headers, { isReserved, refused }: HeaderRules, fields: Map<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!NAME.test(name) || isReserved(lower) || !isHeaderValue(value)) throw refused(name.slice(0, 64));
    fields.set(lower, value);
  }
}
