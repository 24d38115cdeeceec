import { numberText } from '@gw/kernel';
import { GUARDRAIL_LIMITS } from '../bounds';
import { isNoName, isNoText, REPEATS } from './no-text';

/**
 * The role of a text: instructions (`system`), a message of the user or the model, the reasoning of
 * the model, a part of the use of a tool, the name of a called or chosen tool, a source of a
 * response, unknown (`other`), or a text in a member that no reader of the dialect knows (`rest`).
 */
export type PassageKind =
  | 'system'
  | 'user'
  | 'assistant'
  | 'reasoning'
  | 'tool_definition'
  | 'tool_call'
  | 'tool_name'
  | 'tool_result'
  | 'citation'
  | 'other'
  | 'rest';

/** One text of a body and its place. */
export interface Passage {
  readonly kind: PassageKind;
  /**
   * Index of its unit, from 0: a message, an item, a choice, or an input of a list. The tool
   * definitions and the instructions of a request are units too.
   */
  readonly unit: number;
  readonly text: string;
  readonly holder: object;
  readonly key: string | number;
  /** True when the text is the name of the member. */
  readonly isName?: boolean;
  /**
   * True for a name by which the parties of the protocol refer to something. A check that would
   * replace it fails, and the request or response is denied.
   */
  readonly isFixed?: boolean;
}

/**
 * API format of a body, which decides where its texts are. In a body of the format `json`, every
 * text counts; in `arguments` of a tool, names of members and numbers count as well.
 */
export type Dialect =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'responses'
  | 'messages'
  | 'gemini'
  | 'moderations'
  | 'realtime'
  | 'arguments'
  | 'json';

/** A body has more texts, or is more deeply nested, than guardrails can judge. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** How a value is searched. */
export interface Walk {
  /** Names of members that are skipped. */
  readonly without: ReadonlySet<string>;
  /** Whether the members are free: their names and numbers are texts, too. */
  readonly isFree: boolean;
  /** Whether the value is data of a tool, of which no member names a tool. */
  readonly isValue?: boolean;
  /** Whether the texts are names that stay as they are. */
  readonly isFixed?: boolean;
}

const NOTHING: ReadonlySet<string> = new Set();
const PLAIN: Walk = { without: NOTHING, isFree: false };
export const FREE: Walk = { ...PLAIN, isFree: true };

/** Members of calls and results of tools whose own members are free. */
const FREE_MEMBERS: ReadonlySet<string | number> = new Set(['arguments', 'args', 'input', 'response']);
const OF_TOOLS: ReadonlySet<PassageKind> = new Set(['tool_call', 'tool_result']);

/** Members of calls and definitions of tools with names that stay as they are. */
const NAMES: ReadonlySet<string | number> = new Set(['name', 'server_label', 'allowed_tools']);
const WITH_NAMES: ReadonlySet<PassageKind> = new Set(['tool_definition', 'tool_call']);
/** Members of a schema whose own members have names that a model reads. */
const SCHEMAS: ReadonlySet<string | number> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
]);

/** Members of definitions and calls of tools with values, whose members are no names of tools. */
const VALUES: ReadonlySet<string | number> = new Set([
  'input_examples',
  'examples',
  'example',
  'default',
  'attributes',
]);

/** Texts that are no part of a message, each a unit of its own after all others. */
const APART: ReadonlySet<PassageKind> = new Set(['citation', 'tool_name', 'rest']);

/** Collects the texts of one body in order, and those that are no part of a message after them. */
export class PassageCollector {
  private readonly found: Passage[] = [];
  private readonly apart: Passage[] = [];
  /** The members that were read one by one, by their object. */
  private readonly taken = new Map<object, Set<string | number>>();
  /** The objects that were read whole. */
  private readonly walked = new Set<object>();
  /** Unit of the next text. The readers of the dialects advance it after each unit. */
  unit = 0;

  passages(): readonly Passage[] {
    const { unit } = this;
    return [...this.found, ...this.apart.map((passage, at) => ({ ...passage, unit: unit + 1 + at }))];
  }

  /** Adds `holder[key]` if it is a text. */
  take(kind: PassageKind, holder: object, key: string | number): void {
    this.add(kind, memberOf(holder, key), { holder, key, isFixed: kind === 'tool_name' });
  }

  /**
   * Adds every text below a value. The arguments and results of tools have free members, unless
   * `how` says otherwise.
   */
  walk(kind: PassageKind, holder: object, key: string | number, how: Walk = PLAIN, depth = 0): void {
    const value = memberOf(holder, key);
    const isFree = how.isFree || (OF_TOOLS.has(kind) && FREE_MEMBERS.has(key));
    const isValue = isValueAt(key, how);
    const isFixed = how.isFixed === true || (!isValue && isNameOfTool(kind, key, isFree));
    const text = typeof value === 'string' ? value : isFree ? numberText(value) : null;
    if (text !== null) this.add(kind, text, { holder, key, isFixed });
    else if (typeof value === 'object' && value !== null)
      this.walkObject(kind, value, key, { without: how.without, isFree, isFixed, isValue }, depth + 1);
  }

  private walkObject(kind: PassageKind, value: object, key: string | number, how: Walk, depth: number): void {
    assertDepth(depth);
    this.walked.add(value);
    if (kind === 'tool_definition' && SCHEMAS.has(key) && how.isValue !== true)
      this.walkSchemas(kind, value, how, depth);
    else this.walkMembers(kind, value, how, depth);
  }

  private walkMembers(kind: PassageKind, holder: object, how: Walk, depth: number): void {
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index++) this.walk(kind, holder, index, how, depth);
      return;
    }
    for (const name of Object.keys(holder)) {
      if (how.without.has(name)) {
        this.restOf(holder, name, depth);
        continue;
      }
      if (how.isFree) this.add(kind, name, { holder, key: name, isName: true });
      else this.nameOf(holder, name);
      this.walk(kind, holder, name, how, depth);
    }
  }

  /** Adds the names and the texts of schemas. Other parts of the schema refer to the names. */
  private walkSchemas(kind: PassageKind, holder: object, how: Walk, depth: number): void {
    for (const name of Object.keys(holder)) {
      this.add(kind, name, { holder, key: name, isName: true, isFixed: true });
      const schema = memberOf(holder, name);
      if (typeof schema === 'object' && schema !== null) this.walkMembers(kind, schema, how, depth + 1);
      else this.walk(kind, holder, name, how, depth);
    }
  }

  /**
   * Adds every text below an object that was not read before, in members that the dialect does not
   * have or that usually hold no text. `without` are names of members that are left out.
   */
  rest(holder: object, without: ReadonlySet<string> = NOTHING, depth = 0): void {
    assertDepth(depth);
    if (this.walked.has(holder)) return;
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index++) this.restOf(holder, index, depth);
      return;
    }
    for (const name of Object.keys(holder)) {
      if (without.has(name)) continue;
      this.nameOf(holder, name);
      this.restOf(holder, name, depth);
    }
  }

  /** Adds the name of a member that is no name of a dialect. */
  private nameOf(holder: object, name: string): void {
    if (!isNoName(name)) this.add('rest', name, { holder, key: name, isName: true, isFixed: true });
  }

  /** Marks `holder[key]`, and all below it, as read. */
  skip(holder: object, key: string | number): void {
    this.markTaken(holder, key);
    const value = memberOf(holder, key);
    if (typeof value === 'object' && value !== null) this.walked.add(value);
  }

  private restOf(holder: object, key: string | number, depth: number): void {
    if (REPEATS.has(key)) return;
    const value = memberOf(holder, key);
    if (typeof value === 'string') {
      if (isNoText(key, value) || this.taken.get(holder)?.has(key) === true) return;
      this.add('rest', value, { holder, key });
    } else if (typeof value === 'object' && value !== null) this.rest(value, NOTHING, depth + 1);
  }

  private add(kind: PassageKind, text: unknown, place: Omit<Passage, 'kind' | 'unit' | 'text'>): void {
    if (typeof text !== 'string' || text === '') return;
    if (this.found.length + this.apart.length >= GUARDRAIL_LIMITS.passagesMax)
      throw new BodyTooLarge('The body has too many texts.');
    if (place.isName !== true) this.markTaken(place.holder, place.key);
    (APART.has(kind) ? this.apart : this.found).push({ kind, unit: this.unit, text, ...place });
  }

  private markTaken(holder: object, key: string | number): void {
    const keys = this.taken.get(holder);
    if (keys === undefined) this.taken.set(holder, new Set([key]));
    else keys.add(key);
  }
}

function assertDepth(depth: number): void {
  if (depth > GUARDRAIL_LIMITS.bodyDepthMax) throw new BodyTooLarge('The body is nested too deeply.');
}

const isNameOfTool = (kind: PassageKind, key: string | number, isFree: boolean): boolean =>
  kind === 'tool_name' || (!isFree && WITH_NAMES.has(kind) && NAMES.has(key));

const isValueAt = (key: string | number, { isValue }: Walk): boolean => isValue === true || VALUES.has(key);

const memberOf = (holder: object, key: string | number): unknown =>
  (holder as Readonly<Record<string | number, unknown>>)[key];
