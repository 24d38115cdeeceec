import { afterSpace, memberSpan } from '@gw/kernel';
import { own, type JsonObject } from '@gw/mcp';
import type { McpRequest } from './mcp-request';

/** The arguments of a call as its client wrote them, in JSON; null where something changed them. */
export function argumentBytes(
  { context: { body }, message }: Pick<McpRequest, 'context' | 'message'>,
  params: JsonObject,
): Buffer | null {
  const args = own(params, 'arguments');
  if (args === undefined || args !== own(message.params, 'arguments')) return null;
  const all = memberSpan(body, afterSpace(body, 0), 'params');
  const span = all === null ? null : memberSpan(body, all.start, 'arguments');
  return span === null ? null : body.subarray(span.start, span.end);
}
