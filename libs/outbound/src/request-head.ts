import { OutboundError, type BodySource, type OutboundRequest } from './types';

/** How requests to one origin are addressed. */
export interface Address {
  /** Value of the Host header. */
  readonly host: string;
  /** Put before the path when a proxy takes the request in absolute form. */
  readonly pathPrefix: string;
  /** Headers for that proxy, flat. */
  readonly proxyHeaders: readonly string[];
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_IN_PATH = /[^\x21-\x7e\x80-\xff]/;
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Methods whose requests say that they have no body. */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set([
  'POST',
  'PUT',
  'PATCH',
  'QUERY',
  'PROPFIND',
  'PROPPATCH',
]);

type Kind = 'plain' | 'ours' | 'refused';
/** Set here, whatever the caller says. */
const OURS: ReadonlySet<string> = new Set(['host', 'connection', 'content-length']);
/** These would change how the message is read. */
const REFUSED: ReadonlySet<string> = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect']);

/** Names that have been judged; past the cap, and for long ones, each is judged anew. */
const kinds = new Map<string, Kind>();
const KINDS_MAX = 1_000;
const NAME_LENGTH_MAX = 64;

/**
 * Request line and headers as they are sent, latin1. The caller's `host`, `connection` and `content-length` are left out.
 *
 * @throws OutboundError `unreachable` for what HTTP/1.1 cannot carry, among it all that would begin another line.
 */
export function encodeHead(request: OutboundRequest, { host, pathPrefix, proxyHeaders }: Address): string {
  const { method, path, headers, body } = request;
  if (!isMethod(method) || !path.startsWith('/') || NOT_IN_PATH.test(path)) throw unsendable();
  const line = `${method} ${pathPrefix}${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  return `${line}${fieldsOf(headers)}${fieldsOf(proxyHeaders)}${framingOf(method, body)}\r\n`;
}

function isMethod(method: string): boolean {
  // Both would turn the connection into something else.
  return (METHODS_WITH_BODY.has(method) || TOKEN.test(method)) && method !== 'CONNECT';
}

function fieldsOf(headers: readonly string[]): string {
  let text = '';
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1];
    const kind = kinds.get(name) ?? judge(name);
    if (kind === 'refused' || value === undefined || NOT_IN_VALUE.test(value)) throw unsendable();
    if (kind === 'plain') text += `${name}: ${value}\r\n`;
  }
  return text;
}

function judge(name: string): Kind {
  const lowerCased = name.toLowerCase();
  let kind: Kind = 'plain';
  if (OURS.has(lowerCased)) kind = 'ours';
  else if (REFUSED.has(lowerCased) || !TOKEN.test(name)) kind = 'refused';
  if (kinds.size < KINDS_MAX && name.length <= NAME_LENGTH_MAX) kinds.set(name, kind);
  return kind;
}

function framingOf(method: string, body: Buffer | BodySource | null): string {
  const length = body === null ? 0 : body.length;
  return length > 0 || METHODS_WITH_BODY.has(method) ? `content-length: ${String(length)}\r\n` : '';
}

const unsendable = (): OutboundError =>
  new OutboundError('unreachable', 'The request cannot be sent as HTTP/1.1.');
