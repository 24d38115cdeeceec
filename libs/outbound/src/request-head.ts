import { isHeaderValue, isToken } from '@gw/kernel';
import { OutboundError, type BodySource, type OutboundRequest } from './types';

/** How requests to one origin are addressed. */
export interface Address {
  /** Value of the `host` header. */
  readonly host: string;
  /** Prefix of the path, for a proxy that needs requests in absolute form. */
  readonly pathPrefix: string;
  /** Headers for that proxy, names and values in turn. */
  readonly proxyHeaders: readonly string[];
}

const NOT_IN_PATH = /[^\x21-\x7e\x80-\xff]/;

/** Methods whose requests have a `content-length` even without a body. */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set([
  'POST',
  'PUT',
  'PATCH',
  'QUERY',
  'PROPFIND',
  'PROPPATCH',
]);

type Kind = 'plain' | 'ours' | 'refused';
/** Headers that this library sets itself; the caller's values are ignored. */
const SET_HERE: ReadonlySet<string> = new Set(['host', 'connection', 'content-length']);
/** Headers that would change how the message is parsed. */
const REFUSED: ReadonlySet<string> = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect']);

/** The kinds of known names. Names beyond the maximum, and long ones, are classified each time. */
const kinds = new Map<string, Kind>();
const KINDS_MAX = 1_000;
const NAME_LENGTH_MAX = 64;

/**
 * Encodes the request line and the headers as latin1. Omits the caller's `host`, `connection` and
 * `content-length`.
 * @throws OutboundError `unreachable` for anything that HTTP/1.1 cannot express, including text
 * that would begin another line.
 */
export function encodeHead(request: OutboundRequest, { host, pathPrefix, proxyHeaders }: Address): string {
  const { method, path, headers, body } = request;
  if (!isMethod(method) || !path.startsWith('/') || NOT_IN_PATH.test(path)) throw unsendable();
  const line = `${method} ${pathPrefix}${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  return `${line}${fieldsOf(headers)}${fieldsOf(proxyHeaders)}${framingOf(method, body)}\r\n`;
}

function isMethod(method: string): boolean {
  // CONNECT would turn the connection into a tunnel.
  return (METHODS_WITH_BODY.has(method) || isToken(method)) && method !== 'CONNECT';
}

function fieldsOf(headers: readonly string[]): string {
  let text = '';
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1];
    const kind = kinds.get(name) ?? classify(name);
    if (kind === 'refused' || value === undefined || !isHeaderValue(value)) throw unsendable();
    if (kind === 'plain') text += `${name}: ${value}\r\n`;
  }
  return text;
}

function classify(name: string): Kind {
  const lowerCased = name.toLowerCase();
  let kind: Kind = 'plain';
  if (SET_HERE.has(lowerCased)) kind = 'ours';
  else if (REFUSED.has(lowerCased) || !isToken(name)) kind = 'refused';
  if (kinds.size < KINDS_MAX && name.length <= NAME_LENGTH_MAX) kinds.set(name, kind);
  return kind;
}

function framingOf(method: string, body: Buffer | BodySource | null): string {
  const length = body === null ? 0 : body.length;
  return length > 0 || METHODS_WITH_BODY.has(method) ? `content-length: ${String(length)}\r\n` : '';
}

const unsendable = (): OutboundError =>
  new OutboundError('unreachable', 'The request cannot be sent as HTTP/1.1.');
