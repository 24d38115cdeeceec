import { afterSpace, memberSpan } from '@gw/kernel';
import { own } from '@gw/mcp';
import type { McpRequest } from './mcp-request';

/**
 * Returns the JSON bytes of a call's arguments as the client wrote them; null when the gateway
 * changed the arguments.
 */
export function argumentBytes(
  { context: { body }, message }: Pick<McpRequest, 'context' | 'message'>,
  args: unknown,
): Buffer | null {
  if (args === undefined || args !== own(message.params, 'arguments')) return null;
  const all = memberSpan(body, afterSpace(body, 0), 'params');
  const span = all === null ? null : memberSpan(body, all.start, 'arguments');
  return span === null ? null : body.subarray(span.start, span.end);
}
