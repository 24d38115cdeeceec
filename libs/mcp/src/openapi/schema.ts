import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';
import { OpenApiFault, REFERENCE_DEPTH_MAX, referenced } from './document';

/** Whether a schema validates arguments (`input`) or only describes a response (`output`). */
export type SchemaUse = 'input' | 'output';

const NODES_OF_ONE = 5_000;
const NODES_OF_ALL = 100_000;
/**
 * Maximum number of characters of texts and names in one schema; a reference repeats those of its
 * target.
 */
const CHARACTERS_OF_ONE = 262_144;
const CHARACTERS_OF_ALL = 8_388_608;
/**
 * Maximum depth of a schema. Each level takes two levels of JSON, and stored JSON has at most 64.
 */
const DEPTH_MAX = 24;
const PATTERN_MAX = 256;

/**
 * Converts schemas of OpenAPI 3.0 and 3.1 to JSON Schema 2020-12, for all tools of one document.
 */
export class SchemaReader {
  private nodes = 0;
  private characters = 0;
  private readonly members: Readonly<Record<SchemaUse, Members>>;

  constructor(private readonly document: JsonObject) {
    this.members = { input: new Members(document, 'input'), output: new Members(document, 'output') };
  }

  /**
   * Returns a schema with its references inlined. References below 8 others, and everything beyond
   * 5,000 nodes in one schema, become `{}`, so that recursive schemas end. Unknown keywords and
   * invalid values are left out, because one invalid schema makes some clients refuse the whole
   * list. An `output` schema has no constraints, because responses rarely meet all of them. `oneOf`
   * becomes `anyOf`, and `not` is left out: without all constraints, they would refuse what the
   * service accepts. Throws an `OpenApiFault` for references to other documents, for more than
   * 262,144 characters in one schema, and for more than 100,000 nodes or 8 Mi characters in all
   * schemas.
   */
  read(schema: unknown, use: SchemaUse): JsonObject {
    if (this.nodes > NODES_OF_ALL || this.characters > CHARACTERS_OF_ALL)
      throw new OpenApiFault('The schemas of the selected operations are too large together; select fewer.');
    const inliner = new Inliner(this.document, use, this.members[use]);
    try {
      const inlined = inliner.schema(schema, 0, 0);
      return isObject(inlined) ? inlined : {};
    } finally {
      this.nodes += inliner.nodes;
      this.characters += inliner.characters;
    }
  }
}

type Keyword =
  | { readonly kind: 'value'; readonly accepts: (value: unknown) => boolean }
  | { readonly kind: 'schema' | 'schemas' | 'map' };

const value = (accepts: (value: unknown) => boolean): Keyword => ({ kind: 'value', accepts });
const isText = (text: unknown): boolean => typeof text === 'string';
const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && (count as number) >= 0;
const isList = (list: unknown): list is readonly unknown[] => Array.isArray(list) && list.length > 0;
const TYPES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'],
]);
const isType = (type: unknown): boolean => {
  const types: readonly unknown[] = isList(type) ? type : [type];
  return types.every((each) => TYPES.has(each)) && new Set(types).size === types.length;
};

const DESCRIBING: readonly (readonly [string, Keyword])[] = [
  ...(['title', 'description', '$comment'] as const).map((name) => [name, value(isText)] as const),
  ['type', value(isType)],
  ...(['items', 'additionalProperties'] as const).map((name) => [name, { kind: 'schema' }] as const),
  ...(['anyOf', 'allOf', 'oneOf', 'prefixItems'] as const).map(
    (name) => [name, { kind: 'schemas' }] as const,
  ),
  ['properties', { kind: 'map' }],
  ['deprecated', value((flag) => typeof flag === 'boolean')],
];

const CONSTRAINTS: readonly (readonly [string, Keyword])[] = [
  ['format', value(isText)],
  ['required', value((names) => isList(names) && names.every(isText))],
  ['enum', value((values) => isList(values))],
  ...(['const', 'default'] as const).map((name) => [name, value(() => true)] as const),
  ['multipleOf', value((number) => Number.isFinite(number) && (number as number) > 0)],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(
    (name) => [name, value((number) => Number.isFinite(number))] as const,
  ),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (name) => [name, value(isCount)] as const,
  ),
  ['uniqueItems', value((flag) => typeof flag === 'boolean')],
  ...(['contains', 'propertyNames'] as const).map((name) => [name, { kind: 'schema' }] as const),
];

const KEYWORDS: Readonly<Record<SchemaUse, ReadonlyMap<string, Keyword>>> = {
  input: new Map([...DESCRIBING, ...CONSTRAINTS]),
  output: new Map(DESCRIBING.filter(([name]) => name !== 'additionalProperties')),
};

/**
 * Facts about the members of objects. Each object is read once, however many references point to
 * it.
 */
class Members {
  private readonly counts = new WeakMap<object, number>();
  private readonly shown = new WeakMap<object, readonly (readonly [string, unknown])[]>();

  constructor(
    private readonly document: JsonObject,
    private readonly use: SchemaUse,
  ) {}

  /** Returns the number of members or items. */
  countOf(value: object): number {
    if (Array.isArray(value)) return value.length;
    const count = this.counts.get(value) ?? Object.keys(value).length;
    this.counts.set(value, count);
    return count;
  }

  /** Returns the properties that a schema shows, of the first 5,000. */
  shownIn(properties: JsonObject): readonly (readonly [string, unknown])[] {
    const shown =
      this.shown.get(properties) ??
      Object.entries(properties)
        .slice(0, NODES_OF_ONE)
        .filter(([, each]) => isSchema(each) && !this.isHidden(each));
    this.shown.set(properties, shown);
    return shown;
  }

  /**
   * Returns whether a schema, or one that it refers to, is hidden: arguments have no `readOnly`
   * members, and responses no `writeOnly` members.
   */
  private isHidden(schema: unknown): boolean {
    const flag = this.use === 'input' ? 'readOnly' : 'writeOnly';
    let at = schema;
    for (let hops = 0; hops <= REFERENCE_DEPTH_MAX && isObject(at); hops += 1) {
      if (own(at, flag) === true) return true;
      const reference = own(at, '$ref');
      if (typeof reference !== 'string') return false;
      at = referenced(this.document, reference);
    }
    return false;
  }
}

class Inliner {
  nodes = 0;
  characters = 0;

  constructor(
    private readonly document: JsonObject,
    private readonly use: SchemaUse,
    private readonly memberFacts: Members,
  ) {}

  schema(schema: unknown, references: number, depth: number): unknown {
    const isFull = this.isFull(depth);
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema) || isFull) return {};
    const reference = own(schema, '$ref');
    if (typeof reference !== 'string') return this.members(schema, references, depth);
    if (references >= REFERENCE_DEPTH_MAX) return {};
    const target = this.schema(referenced(this.document, reference), references + 1, depth + 1);
    const description = own(schema, 'description');
    if (!isObject(target) || typeof description !== 'string') return target;
    this.count(description);
    return { ...target, description };
  }

  private members(schema: JsonObject, references: number, depth: number): JsonObject {
    const found: [string, unknown][] = [];
    for (const [name, keyword] of KEYWORDS[this.use]) {
      const of = keywordOf(schema, name);
      const written = of === undefined ? undefined : this.keyword(keyword, of, references, depth + 1);
      if (written === undefined) continue;
      this.count(name);
      found.push([name === 'oneOf' ? 'anyOf' : name, written]);
    }
    const pattern = own(schema, 'pattern');
    const isShown = this.use === 'input' && typeof pattern === 'string' && pattern.length <= PATTERN_MAX;
    const written = withoutOrphans(Object.fromEntries(found));
    return isShown ? withPattern(written, pattern) : written;
  }

  /** Returns the converted value of a keyword; undefined when it is left out. */
  private keyword(keyword: Keyword, of: unknown, references: number, depth: number): unknown {
    if (Array.isArray(of) && !this.hasRoom(of.length)) return undefined;
    switch (keyword.kind) {
      case 'value':
        return keyword.accepts(of) ? this.data(of, depth) : undefined;
      case 'schema':
        return isSchema(of) ? this.schema(of, references, depth) : undefined;
      case 'schemas':
        return isList(of) && of.every(isSchema)
          ? of.map((each) => this.schema(each, references, depth))
          : undefined;
      case 'map':
        return isObject(of) ? this.map(of, references, depth) : undefined;
    }
  }

  private map(properties: JsonObject, references: number, depth: number): JsonObject {
    if (!this.hasRoom(0)) return {};
    return Object.fromEntries(
      this.memberFacts.shownIn(properties).map(([name, each]) => {
        this.count(name);
        return [name, this.schema(each, references, depth)];
      }),
    );
  }

  /**
   * Returns a copy of a value that is not a schema, such as a default; undefined when the bounds
   * have no room for all of it.
   */
  private data(of: unknown, depth: number): unknown {
    if (this.isFull(depth)) return undefined;
    if (typeof of === 'string') this.count(of);
    if (!isObject(of) && !Array.isArray(of)) return of;
    if (!this.hasRoom(this.memberFacts.countOf(of))) return undefined;
    const copied = Object.entries(of).map(([name, each]) => {
      if (!Array.isArray(of)) this.count(name);
      return [name, this.data(each, depth + 1)] as const;
    });
    if (copied.some(([, each]) => each === undefined)) return undefined;
    return Array.isArray(of) ? copied.map(([, each]) => each) : Object.fromEntries(copied);
  }

  private count({ length }: string): void {
    this.characters += length;
    if (this.characters > CHARACTERS_OF_ONE)
      throw new OpenApiFault('The schemas of the operation are too large.');
  }

  private isFull(depth: number): boolean {
    this.nodes += 1;
    return this.nodes > NODES_OF_ONE || depth > DEPTH_MAX;
  }

  private hasRoom(nodes: number): boolean {
    return this.nodes + nodes <= NODES_OF_ONE;
  }
}

const isSchema = (schema: unknown): boolean => isObject(schema) || typeof schema === 'boolean';

/**
 * Returns the value of a keyword; converts `nullable` and the exclusive bounds of OpenAPI 3.0 to
 * JSON Schema.
 */
function keywordOf(schema: JsonObject, name: string): unknown {
  const of = own(schema, name);
  switch (name) {
    case 'type':
      return own(schema, 'nullable') === true && typeof of === 'string' ? [of, 'null'] : of;
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return of === true ? own(schema, BOUND_OF[name]) : of;
    case 'minimum':
    case 'maximum':
      return own(schema, EXCLUSIVE_OF[name]) === true ? undefined : of;
    default:
      return of;
  }
}

const BOUND_OF = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' } as const;
const EXCLUSIVE_OF = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' } as const;

/**
 * Moves a pattern into the description, where models read it. Regular expressions differ between
 * languages, and a client may refuse one that it cannot compile.
 */
const withPattern = (schema: JsonObject, pattern: string): JsonObject => {
  const description = own(schema, 'description');
  const text = typeof description === 'string' ? `${description}\n` : '';
  return { ...schema, description: `${text}Pattern: ${pattern}` };
};

/** Removes repeated names from `required`, and names whose properties were left out. */
function withoutOrphans(schema: JsonObject): JsonObject {
  const { required, ...rest } = schema;
  if (!Array.isArray(required)) return schema;
  const properties = own(schema, 'properties');
  const names = [...new Set(required as readonly string[])].filter(
    (name) => !isObject(properties) || Object.hasOwn(properties, name),
  );
  return names.length === 0 ? rest : { ...rest, required: names };
}
