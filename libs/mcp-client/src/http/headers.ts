import { isHeaderValue } from '@gw/kernel';
import { isReservedHeader } from '@gw/mcp';
import { UpstreamError } from '../upstream-error';

/** Reads the headers that every request to an upstream carries. */
export type HeaderSource = () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;

/**
 * The headers of a request as names and values in turn: those of the integration, of the call, and
 * of the protocol, where later ones win. Refuses names of the protocol and of the framing in the
 * first two, and values that would break the head.
 */
export function checkedHeaders(
  configured: Readonly<Record<string, string>>,
  ofCall: Readonly<Record<string, string>>,
  protocol: Readonly<Record<string, string>>,
): readonly string[] {
  const fields = new Map<string, string>();
  check(configured, fields);
  check(ofCall, fields);
  const list: string[] = [];
  // Names of the protocol are refused above, so that no name is here twice.
  for (const name in protocol) list.push(name, protocol[name] as string);
  if (!fields.has('user-agent')) list.push('user-agent', 'tollgate');
  for (const [name, value] of fields) list.push(name, value);
  // Streams are parsed as they arrive, so they must not be compressed.
  list.push('accept-encoding', 'identity');
  return list;
}

function check(headers: Readonly<Record<string, string>>, fields: Map<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!NAME.test(name) || isReservedHeader(lower) || !isHeaderValue(value))
      throw new UpstreamError('protocol', `The header ${name.slice(0, 64)} cannot be sent to an upstream.`, {
        mayHaveExecuted: false,
      });
    fields.set(lower, value);
  }
}

/** Headers of a response, of which few are ever read: names in lower case and values in turn. */
export class ResponseHeaders {
  constructor(private readonly raw: readonly string[]) {}

  /** The first value of a header, by its name in lower case. */
  get(name: string): string | undefined {
    const { raw } = this;
    for (let at = 0; at + 1 < raw.length; at += 2) if (raw[at] === name) return raw[at + 1];
    return undefined;
  }
}
