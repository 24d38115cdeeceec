import { isObject } from '@gw/kernel';
import { CODES, McpFault, unknownCapability } from '../fault';
import type { JsonObject } from '../protocol';
import { own, type RpcRequest } from './message';

/** A valid tools/call of a tool that the caller may use. */
export interface ToolCall<T> {
  readonly tool: T;
  /** Name as the caller wrote it. */
  readonly name: string;
  readonly arguments: JsonObject;
}

const NO_ARGUMENTS: JsonObject = Object.freeze({});

/**
 * Reads the params of a tools/call. `tools` holds the tools that the caller may use by shown name;
 * lookups are exact and case-sensitive. Throws -32602 with status 200.
 */
export function readToolCall<T>(
  { id, params }: Pick<RpcRequest, 'id' | 'params'>,
  tools: Pick<ReadonlyMap<string, T>, 'get'>,
): ToolCall<T> {
  const name = own(params, 'name');
  if (typeof name !== 'string' || name === '')
    throw new McpFault(CODES.invalidParams, 'params.name must name a tool.', { id });
  const tool = tools.get(name);
  if (tool === undefined) throw unknownCapability('tool', name, id);
  const args = own(params, 'arguments') ?? NO_ARGUMENTS;
  if (!isObject(args)) throw new McpFault(CODES.invalidParams, 'params.arguments must be an object.', { id });
  return { tool, name, arguments: args };
}
