import { isObject } from '@gw/kernel';
import { matchesName } from '../access/access';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';

/** Changes that a toolset makes to a tool of a member. */
export interface ToolOverride {
  readonly title?: string;
  readonly description?: string;
  /** Arguments that callers do not see and cannot send. */
  readonly hiddenArguments?: readonly string[];
  /** Arguments that the gateway sends with these values; hidden from callers. */
  readonly fixedArguments?: JsonObject;
}

/**
 * Selection of a member's tools and prompts (by name) and resources (by URI). An empty `include`
 * selects all. Names may end in `*`.
 */
export interface MemberSelection {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/**
 * Returns a function that tells whether a toolset has a capability of a member, by its original
 * name or URI.
 */
export function toolsetFilter({ include, exclude }: MemberSelection): (name: string) => boolean {
  const [isIncluded, isExcluded] = [matcher(include), matcher(exclude)];
  return (name) => (include.length === 0 || isIncluded(name)) && !isExcluded(name);
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const open = patterns.filter((pattern) => pattern.endsWith('*'));
  const exact = new Set(patterns);
  return (name) => exact.has(name) || open.some((pattern) => matchesName(pattern, name));
}

/**
 * Returns the definition that callers see: the approved definition with the override applied, under
 * the shown name.
 */
export function shownTool(definition: JsonObject, shown: string, override: ToolOverride): JsonObject {
  const { title, description } = override;
  return {
    ...definition,
    name: shown,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: shownSchema(ownObject(definition, 'inputSchema'), hiddenNames(override)),
  };
}

/** Returns the names of arguments that callers neither see nor send. */
export const hiddenNames = ({ hiddenArguments, fixedArguments }: ToolOverride): ReadonlySet<string> =>
  new Set([...(hiddenArguments ?? []), ...Object.keys(fixedArguments ?? {})]);

function shownSchema(schema: JsonObject, hidden: ReadonlySet<string>): JsonObject {
  if (hidden.size === 0) return schema;
  const properties = Object.entries(ownObject(schema, 'properties')).filter(([name]) => !hidden.has(name));
  const required = ownList(schema, 'required').filter((name) => !hidden.has(String(name)));
  const { required: _required, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

/**
 * Returns the arguments for the upstream: the caller's without the hidden ones, plus the fixed
 * ones.
 */
export function sentArguments(args: JsonObject, override: ToolOverride): JsonObject {
  const hidden = hiddenNames(override);
  const sent = Object.entries(args).filter(([name]) => !hidden.has(name));
  return Object.fromEntries([...sent, ...Object.entries(override.fixedArguments ?? {})]);
}

/** Definitions of the two tools of a toolset in search mode. */
export const SEARCH_TOOLS: readonly JsonObject[] = [
  {
    name: 'search_tools',
    description: 'Finds tools by what they do. Returns their names, descriptions and input schemas.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 50 } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'call_tool',
    description: 'Calls a tool that search_tools has returned.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
    },
  },
];

export const SEARCH_TOOL_NAMES: readonly string[] = SEARCH_TOOLS.map(({ name }) => String(name));

/**
 * Returns the params of the call that `call_tool` makes, which is judged like a direct call; null
 * for invalid arguments.
 */
export function calledTool(args: JsonObject): JsonObject | null {
  const [name, inner] = [own(args, 'name'), own(args, 'arguments') ?? {}];
  const isCallable = typeof name === 'string' && !SEARCH_TOOL_NAMES.includes(name);
  return isCallable && isObject(inner) ? { name, arguments: inner } : null;
}
