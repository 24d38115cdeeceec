import { createHash } from 'node:crypto';
import type { ModelCall, Part, Tool, ToolCallPart } from '../call';
import { asObject, asString, objectsOf } from '../values/json';
import { decodeTool } from './decode-tools';
import { ownOf, withOwn } from './own';

/** Maximum length of a tool name that all dialects accept. */
const NAME_LENGTH_MAX = 64;
const HASH_LENGTH = 8;

/**
 * Returns the name of a tool in a namespace. It depends only on both names, so that any gateway can
 * find the tool.
 */
function joinedName(namespace: string, name: string): string {
  const joined = `${namespace}__${name}`;
  if (joined.length <= NAME_LENGTH_MAX) return joined;
  const hash = createHash('sha256').update(joined).digest('hex').slice(0, HASH_LENGTH);
  return `${joined.slice(0, NAME_LENGTH_MAX - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * Converts tools in namespaces, which other dialects do not have, into separate tools. Calls in the
 * history get the same names.
 */
export function withoutNamespaces(call: ModelCall): ModelCall {
  const tools = call.tools ?? [];
  if (!tools.some(isNamespace) && !call.turns.some(({ parts }) => parts.some(isInNamespace))) return call;
  return {
    ...call,
    ...(call.tools === undefined ? {} : { tools: tools.flatMap(toolsOf) }),
    turns: call.turns.map((turn) => ({ ...turn, parts: turn.parts.map(renamed) })),
  };
}

const isNamespace = ({ hosted }: Tool): boolean => hosted?.type === 'namespace';
const namespaceOf = (part: Part): string | null =>
  part.kind === 'tool_call' ? asString(ownOf(part).rest?.['namespace']) : null;
const isInNamespace = (part: Part): boolean => namespaceOf(part) !== null;

function toolsOf(tool: Tool): readonly Tool[] {
  if (!isNamespace(tool)) return [tool];
  const { config = {} } = tool.hosted ?? {};
  const namespace = asString(config['name']) ?? '';
  return objectsOf(config['tools']).map((inner, index) => {
    const own = decodeTool(inner, `${tool.at ?? 'tools'}.tools.${String(index)}`);
    return {
      ...own,
      name: joinedName(namespace, own.name),
      ...withOwn({ rest: { namespace, name: own.name } }),
    };
  });
}

function renamed(part: Part): Part {
  const namespace = namespaceOf(part);
  return namespace === null || part.kind !== 'tool_call'
    ? part
    : { ...part, name: joinedName(namespace, part.name) };
}

/** Returns a function that restores the client's name and namespace of a call in a response. */
export function ownNames({ tools = [] }: Pick<ModelCall, 'tools'>): (part: Part) => Part {
  const names = new Map<string, ToolCallPart['x']>();
  const short = new Map<string, string>();
  for (const tool of tools) {
    const rest = asObject(ownOf(tool).rest);
    const [namespace, name] = [asString(rest?.['namespace']), asString(rest?.['name'])];
    if (namespace === null || name === null) continue;
    names.set(tool.name, withOwn({ rest: { namespace } }).x);
    short.set(tool.name, name);
  }
  if (names.size === 0) return (part) => part;
  return (part) => {
    const x = part.kind === 'tool_call' ? names.get(part.name) : undefined;
    return x === undefined || part.kind !== 'tool_call'
      ? part
      : { ...part, name: short.get(part.name) ?? part.name, x };
  };
}
