import { isObject } from '@gw/kernel';
import { badRequest, CODES } from '../fault';
import type { JsonObject } from '../protocol';
import { own, type RpcNotification, type RpcRequest } from '../rpc/message';
import type { HeaderParameter } from './header-parameters';
import { singleHeader, type HeaderFields } from './headers';
import { decodeHeaderValue, encodeHeaderValue, type HeaderScalar } from './sentinel';

/** The member of `params` that `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

const mismatch = (message: string, about: RpcRequest | RpcNotification): Error =>
  badRequest(CODES.headerMismatch, message, about.kind === 'request' ? about.id : null);

/**
 * Compares `Mcp-Method` and `Mcp-Name` with the body of a modern message. Throws a fault with
 * status 400 and code -32020 when one is missing, repeated or different. Decisions are based on the
 * body only.
 */
export function checkMethodHeaders(headers: HeaderFields, message: RpcRequest | RpcNotification): void {
  if (singleHeader(headers, 'mcp-method', CODES.headerMismatch) !== message.method)
    throw mismatch('The header Mcp-Method must equal the method of the body.', message);
  const member = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined;
  const header = singleHeader(headers, 'mcp-name', CODES.headerMismatch);
  if (member === undefined) return;
  const name = own(message.params, member);
  // Other checks refuse a body without a name.
  if (name === undefined && header === undefined) return;
  if (header === undefined || decodeHeaderValue(header) !== name)
    throw mismatch(`The header Mcp-Name must equal ${member} of the body.`, message);
}

/**
 * Compares the `Mcp-Param-*` headers of a tools/call with its arguments. Unknown headers are
 * ignored. Strings must be equal after decoding, integers as numbers, booleans as `true` and
 * `false`; null and absent arguments have no header. Throws 400 with -32020.
 */
export function checkParameterHeaders(
  headers: HeaderFields,
  parameters: readonly HeaderParameter[],
  message: RpcRequest,
): void {
  for (const { header, path, type } of parameters) {
    const value = argumentAt(message.params, path);
    const text = singleHeader(headers, `mcp-param-${header}`, CODES.headerMismatch);
    const isEqual = text === undefined ? value === null : isSameValue(text, value, type);
    if (!isEqual) throw mismatch(`The header Mcp-Param-${header} must equal its argument.`, message);
  }
}

/** Returns the headers that a modern upstream expects for a request, with encoded values. */
export function upstreamHeaders(
  revision: string,
  message: Pick<RpcRequest, 'method' | 'params'>,
  parameters: readonly HeaderParameter[],
): Readonly<Record<string, string>> {
  const member = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined;
  const name = member === undefined ? undefined : own(message.params, member);
  const headers: Record<string, string> = { 'mcp-protocol-version': revision, 'mcp-method': message.method };
  if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name);
  for (const { header, path } of parameters) {
    const value = argumentAt(message.params, path);
    if (isScalar(value)) headers[`mcp-param-${header}`] = encodeHeaderValue(value);
  }
  return headers;
}

const isScalar = (value: unknown): value is HeaderScalar =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);

/** Returns the argument at a path of own properties; null if there is none. */
function argumentAt(params: JsonObject, path: readonly string[]): unknown {
  let at: unknown = own(params, 'arguments');
  for (const name of path) at = isObject(at) ? own(at, name) : undefined;
  return at ?? null;
}

const NUMBER = /^-?\d{1,16}(?:\.0{1,8})?$/;

function isSameValue(text: string, value: unknown, type: HeaderParameter['type']): boolean {
  const decoded = decodeHeaderValue(text);
  if (decoded === null) return false;
  switch (type) {
    case 'string':
      return decoded === value;
    case 'boolean':
      return typeof value === 'boolean' && decoded === String(value);
    case 'integer':
      return NUMBER.test(decoded) && Number.isSafeInteger(value) && Number(decoded) === value;
  }
}
