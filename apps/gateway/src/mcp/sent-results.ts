import { withExactNumbers, type ExactNumbers } from '@gw/kernel';
import {
  isCacheable,
  isLegacyResult,
  McpFault,
  NEWEST_CONTENT,
  resultBody,
  splicedResponse,
  toLegacyResult,
  toModernResult,
  type JsonObject,
  type LegacyRevision,
  type ScannedResponse,
} from '@gw/mcp';
import type { ReceivedResult } from '@gw/mcp-client';
import type { McpRequest } from './mcp-request';

/**
 * Sends a server's result to the client, byte for byte when nothing has to change in it. `changed`
 * replaces the result; null keeps it. Throws `McpFault` for a result that the client's revision
 * cannot represent.
 */
export function sendReceived(
  request: McpRequest,
  received: ReceivedResult,
  changed: JsonObject | null,
): void {
  const { era, revision, capabilities, message, endpoint, reply } = request;
  if (changed === null && received.scanned !== null && canSendBytes(request, received.scanned)) {
    const serverInfo = era === 'modern' ? endpoint.facts.serverInfo : null;
    const spliced = splicedResponse(received.scanned, message.id, serverInfo);
    if (spliced !== null) {
      reply.end(spliced);
      return;
    }
  }
  const result = changed ?? received.value;
  if (era === 'modern') {
    sendResult(request, result, received.numbers);
    return;
  }
  const { tasks } = capabilities;
  const legacy = toLegacyResult(result, { revision: revision as LegacyRevision, tasks });
  if (legacy.kind === 'error') throw new McpFault(legacy.error.code, legacy.error.message);
  sendResult(request, legacy.result, received.numbers);
}

/**
 * Whether the bytes of a result can be sent unchanged, because neither a translation between
 * revisions nor a caching rule applies.
 */
const canSendBytes = ({ era, revision, message }: McpRequest, scanned: ScannedResponse): boolean =>
  era === 'modern' ? !isCacheable(message.method) : revision >= NEWEST_CONTENT && isLegacyResult(scanned);

/**
 * Sends a result in the format of the client's era. `numbers` are those that would change when the
 * result is serialised.
 */
export function sendResult(
  request: McpRequest,
  result: JsonObject,
  numbers: ExactNumbers | null = null,
): void {
  const { era, message, endpoint, reply } = request;
  const { serverInfo, ttlMs } = endpoint.facts;
  const shown =
    era === 'modern'
      ? toModernResult(message.method, result, { serverInfo, ttlMs, isFiltered: true })
      : result;
  reply.end(withExactNumbers(resultBody(message.id, shown), numbers));
}
