import { isObject } from '@gw/kernel';
import { matchesName } from '../access/access';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';

/** How a toolset shows a tool of a member differently. */
export interface ToolOverride {
  readonly title?: string;
  readonly description?: string;
  /** Arguments that callers do not see and cannot send. */
  readonly hiddenArguments?: readonly string[];
  /** Arguments that the gateway sends with these values; hidden from callers. */
  readonly fixedArguments?: JsonObject;
}

/** Which tools of a member a toolset has. `include` empty: all. Names may end in `*`. */
export interface MemberSelection {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const matches = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesName(pattern, name));

/** Whether a toolset has a tool of a member, by its original name. */
export const isInToolset = ({ include, exclude }: MemberSelection, name: string): boolean =>
  (include.length === 0 || matches(include, name)) && !matches(exclude, name);

/** The definition that callers see: the override over the approved definition, under the shown name. */
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

const hiddenNames = ({ hiddenArguments = [], fixedArguments = {} }: ToolOverride): ReadonlySet<string> =>
  new Set([...hiddenArguments, ...Object.keys(fixedArguments)]);

function shownSchema(schema: JsonObject, hidden: ReadonlySet<string>): JsonObject {
  if (hidden.size === 0) return schema;
  const properties = Object.entries(ownObject(schema, 'properties')).filter(([name]) => !hidden.has(name));
  const required = ownList(schema, 'required').filter((name) => !hidden.has(String(name)));
  const { required: _required, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

/** Arguments for the upstream: the caller's without hidden ones, and the fixed ones. */
export function sentArguments(args: JsonObject, override: ToolOverride): JsonObject {
  const hidden = hiddenNames(override);
  const sent = Object.entries(args).filter(([name]) => !hidden.has(name));
  return Object.fromEntries([...sent, ...Object.entries(override.fixedArguments ?? {})]);
}

/** A tool that a search finds. */
export interface SearchedTool {
  readonly name: string;
  readonly definition: JsonObject;
}

const WORD = /[\p{L}\p{N}]{1,64}/gu;
const WORDS_MAX = 2_000;
const QUERY_WORDS_MAX = 32;
/** Constants of BM25 (Robertson and Zaragoza, 2009). */
const [SATURATION, LENGTH_WEIGHT] = [1.2, 0.75];

const wordsOf = (text: string, most: number): readonly string[] =>
  [...text.slice(0, 32_768).toLowerCase().matchAll(WORD)].slice(0, most).map(([word]) => word);

function searchedText({ name, definition }: SearchedTool): string {
  const texts = [own(definition, 'title'), own(definition, 'description')].filter(
    (text) => typeof text === 'string',
  );
  const properties = Object.keys(ownObject(ownObject(definition, 'inputSchema'), 'properties'));
  return [name, ...texts, ...properties].join(' ').replaceAll('_', ' ');
}

/** Word counts of tools, made once for a list that a caller may use. */
export class ToolSearch<T extends SearchedTool> {
  private readonly documents: readonly {
    readonly tool: T;
    readonly counts: ReadonlyMap<string, number>;
    readonly length: number;
  }[];
  private readonly frequency = new Map<string, number>();
  private readonly averageLength: number;

  constructor(tools: readonly T[]) {
    this.documents = tools.map((tool) => {
      const words = wordsOf(searchedText(tool), WORDS_MAX);
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const word of counts.keys()) this.frequency.set(word, (this.frequency.get(word) ?? 0) + 1);
      return { tool, counts, length: words.length };
    });
    const total = this.documents.reduce((sum, { length }) => sum + length, 0);
    this.averageLength = Math.max(1, total / Math.max(1, tools.length));
  }

  /** The best matches by BM25 over name, title, description and argument names; at most 50. */
  find(query: string, limit: number): readonly T[] {
    const words = new Set(wordsOf(query, QUERY_WORDS_MAX));
    return this.documents
      .map(({ tool, counts, length }) => ({ tool, score: this.score(words, counts, length) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, Math.min(50, Math.max(1, Math.trunc(limit))))
      .map(({ tool }) => tool);
  }

  private score(words: ReadonlySet<string>, counts: ReadonlyMap<string, number>, length: number): number {
    let score = 0;
    for (const word of words) {
      const count = counts.get(word) ?? 0;
      const having = this.frequency.get(word) ?? 0;
      const rarity = Math.log(1 + (this.documents.length - having + 0.5) / (having + 0.5));
      const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / this.averageLength);
      score += (rarity * count * (SATURATION + 1)) / (count + norm);
    }
    return score;
  }
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

/** Params of the call that `call_tool` makes; it is judged exactly as a direct call. Null: they are not valid. */
export function calledTool(args: JsonObject): JsonObject | null {
  const [name, inner] = [own(args, 'name'), own(args, 'arguments') ?? {}];
  const isOwn = SEARCH_TOOLS.some((tool) => tool['name'] === name);
  return typeof name === 'string' && !isOwn && isObject(inner) ? { name, arguments: inner } : null;
}
