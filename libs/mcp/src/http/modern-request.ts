import { isObject } from '@gw/kernel';
import { badRequest, CODES, McpFault } from '../fault';
import {
  isKnownRequest,
  isModernRevision,
  META,
  SUPPORTED_REVISIONS,
  type JsonObject,
  type ModernRevision,
  type RequestId,
} from '../protocol';
import { own, ownObject, type RpcNotification, type RpcRequest } from '../rpc/message';
import { NO_CAPABILITIES, readCapabilities, type ClientCapabilities } from './client-capabilities';
import { singleHeader, type HeaderFields } from './headers';
import { checkMethodHeaders } from './request-headers';

/** A message of the modern era whose headers and `_meta` were checked. */
export interface ModernReceived {
  readonly kind: 'modern';
  readonly message: RpcRequest | RpcNotification;
  readonly revision: ModernRevision;
  readonly capabilities: ClientCapabilities;
  /** `{name, version}` as the client wrote it; an empty object without it. */
  readonly client: JsonObject;
}

/** Returns whether the `_meta` of a message declares it as modern. */
export const isModernByMeta = (params: JsonObject): boolean =>
  own(ownObject(params, '_meta'), META.version) !== undefined;

/**
 * Checks a modern message: version, capabilities, headers and method (MCP 2026-07-28, streamable
 * HTTP). Throws 400 with -32602, -32020 or -32022, and 404 with -32601 for an unknown method.
 */
export function readModern(headers: HeaderFields, message: RpcRequest | RpcNotification): ModernReceived {
  const id = message.kind === 'request' ? message.id : null;
  const meta = ownObject(message.params, '_meta');
  const header = singleHeader(headers, 'mcp-protocol-version', CODES.headerMismatch);
  const isBare = message.kind === 'notification' && !isModernByMeta(message.params);
  const revision = isBare ? revisionOf(header, id) : versionOf(meta, header, id);
  const declared = own(meta, META.capabilities);
  if (!isBare && !isObject(declared)) throw missing(id, META.capabilities);
  const client = own(meta, META.client) ?? {};
  if (!isObject(client))
    throw badRequest(CODES.invalidParams, `_meta["${META.client}"] must be an object.`, id);
  checkMethodHeaders(headers, message);
  if (message.kind === 'request' && !isKnownRequest('modern', message.method))
    throw new McpFault(CODES.methodNotFound, 'Method not found.', { status: 404, id });
  const capabilities = isObject(declared) ? readCapabilities(declared) : NO_CAPABILITIES;
  return { kind: 'modern', message, revision, capabilities, client };
}

/** Returns the fault of a request that lacks a member of `_meta`. */
export const missing = (id: RequestId | null, ...keys: readonly string[]): McpFault =>
  badRequest(CODES.invalidParams, `params._meta must have ${keys.join(' and ')}.`, id);

/** Returns the fault of a revision that the gateway does not support. */
export const unsupported = (requested: string, id: RequestId | null): McpFault =>
  new McpFault(CODES.unsupportedVersion, 'The protocol version is not supported.', {
    status: 400,
    id,
    data: { supported: SUPPORTED_REVISIONS, requested: requested.slice(0, 64) },
  });

function versionOf(meta: JsonObject, header: string | undefined, id: RequestId | null): ModernRevision {
  const version = own(meta, META.version);
  if (typeof version !== 'string')
    throw badRequest(CODES.invalidParams, `_meta["${META.version}"] must be a string.`, id);
  if (header !== version)
    throw badRequest(CODES.headerMismatch, 'MCP-Protocol-Version must equal the version in _meta.', id);
  return revisionOf(version, id);
}

function revisionOf(version: string | undefined, id: RequestId | null): ModernRevision {
  if (isModernRevision(version)) return version;
  throw unsupported(version ?? '', id);
}
