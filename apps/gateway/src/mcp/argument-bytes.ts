import { afterSpace, memberSpan, withExactNumbers } from '@gw/kernel';
import { own, type JsonObject } from '@gw/mcp';
import type { McpRequest } from './mcp-request';

/**
 * Returns the JSON bytes of a call's arguments as the client wrote them; null when the gateway
 * changed the arguments.
 */
export function argumentBytes(
  { body, message }: Pick<McpRequest, 'body' | 'message'>,
  args: unknown,
): Buffer | null {
  if (args === undefined || args !== own(message.params, 'arguments')) return null;
  const all = memberSpan(body, afterSpace(body, 0), 'params');
  const span = all === null ? null : memberSpan(body, all.start, 'arguments');
  return span === null ? null : body.subarray(span.start, span.end);
}

/**
 * Returns arguments that the gateway changed as JSON, with the client's numbers as the client wrote
 * them. `fixed` names the arguments whose values are the toolset's.
 */
export function exactArguments(
  { numbers }: Pick<McpRequest, 'numbers'>,
  args: JsonObject,
  fixed: ReadonlySet<string>,
): string {
  if (numbers === null) return JSON.stringify(args);
  const members = Object.entries(args).map(
    ([name, value]) => `${JSON.stringify(name)}:${withExactNumbers(value, fixed.has(name) ? null : numbers)}`,
  );
  return `{${members.join(',')}}`;
}
