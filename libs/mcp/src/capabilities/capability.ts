import { canonicalJson, isObject } from '@gw/kernel';
import { createHash } from 'node:crypto';
import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';

/** Types of the capabilities that a server lists, in the order in which they are shown. */
export const LISTED_TYPES = ['tool', 'prompt', 'resource', 'resource_template'] as const;
export type ListedType = (typeof LISTED_TYPES)[number];

/**
 * `server`: the name and instructions of the server itself, treated like one capability named
 * `@server`. `skill`, `agent` (the agent itself) and `extended` (its extended card) belong to A2A
 * agents, which the same rules judge.
 */
export type CapabilityType = ListedType | 'server' | 'skill' | 'agent' | 'extended';

/** Returns the name, URI or URI template that identifies a capability of a type. */
export function capabilityName(type: CapabilityType, definition: JsonObject): string {
  if (type === 'server' || type === 'agent' || type === 'extended') return `@${type}`;
  const members = {
    skill: 'id',
    tool: 'name',
    prompt: 'name',
    resource: 'uri',
    resource_template: 'uriTemplate',
  } as const;
  const name = own(definition, members[type]);
  return typeof name === 'string' ? name : '';
}

/**
 * Member of `_meta` with the HTTP operation that a call of a tool from an OpenAPI document makes.
 */
export const OPERATION_META = 'gw/operation';

/** Members that decide what a model or a person reads, and what a call does; icons are excluded. */
const DIGESTED = [
  ...['name', 'uri', 'uriTemplate', 'title', 'description', 'inputSchema', 'outputSchema', 'arguments'],
  ...['annotations', 'execution', 'mimeType', 'instructions', 'version'],
];

/**
 * SHA-256 of the canonical JSON of a definition, hex. The order of members does not matter, the
 * order of lists does. All members of an agent's definition are included.
 */
export function capabilityDigest(type: CapabilityType, definition: JsonObject): string {
  const digested = OF_AGENTS.has(type) ? { type, definition } : { type, ...digestedMembers(definition) };
  return createHash('sha256').update(canonicalJson(digested)).digest('hex');
}

const OF_AGENTS: ReadonlySet<CapabilityType> = new Set(['skill', 'agent', 'extended']);

function digestedMembers(definition: JsonObject): JsonObject {
  const meta = ownObject(definition, '_meta');
  const members = DIGESTED.map((name) => [name, own(definition, name)] as const);
  return { ...Object.fromEntries(members), ui: own(meta, 'ui'), operation: own(meta, OPERATION_META) };
}

const TEXTS_MAX = 5_000;
const CHARACTERS_MAX = 262_144;
const DEPTH_MAX = 70;

/** The texts of a definition that a model may read, including the names of schema members. */
export interface CapabilityTexts {
  readonly texts: readonly string[];
  /** Whether texts beyond the bounds of 5,000 texts and 262,144 characters were left out. */
  readonly isCut: boolean;
}

/**
 * Collects every text of a definition except icons: descriptions, titles, names, enum values,
 * defaults.
 */
export function capabilityTexts(definition: JsonObject): CapabilityTexts {
  const collector = new TextCollector();
  const { icons: _icons, ...read } = definition;
  collector.visit(read, 0);
  return collector;
}

class TextCollector implements CapabilityTexts {
  readonly texts: string[] = [];
  isCut = false;
  private characters = 0;

  visit(value: unknown, depth: number): void {
    if (this.isCut) return;
    if (typeof value === 'string') this.add(value);
    else if (depth > DEPTH_MAX) this.isCut = true;
    else if (Array.isArray(value)) for (const each of value) this.visit(each, depth + 1);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) {
        this.add(name);
        this.visit(each, depth + 1);
      }
  }

  private add(text: string): void {
    const room = CHARACTERS_MAX - this.characters;
    if (this.texts.length >= TEXTS_MAX || text.length > room) this.isCut = true;
    if (this.texts.length >= TEXTS_MAX || room <= 0) return;
    this.texts.push(text.slice(0, room));
    this.characters += text.length;
  }
}
