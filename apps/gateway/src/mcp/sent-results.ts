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
 * Sends the result of a server to the client, as it came where nothing looks into it. `changed`: what the client
 * gets in its place; null: the result. Throws `McpFault` for a result that the client cannot read.
 */
export function sendReceived(
  request: McpRequest,
  received: ReceivedResult,
  changed: JsonObject | null,
): void {
  const { era, revision, capabilities, message, endpoint, reply } = request;
  if (changed === null && received.scanned !== null && isSentAsItCame(request, received.scanned)) {
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

/** Whether no bridge between revisions, and no rule of caches, looks into a result. */
const isSentAsItCame = ({ era, revision, message }: McpRequest, scanned: ScannedResponse): boolean =>
  era === 'modern' ? !isCacheable(message.method) : revision >= NEWEST_CONTENT && isLegacyResult(scanned);

/** Sends a result in the form of the client's era. `numbers`: those of it that change when it is written. */
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
