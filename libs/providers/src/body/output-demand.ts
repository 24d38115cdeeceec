import { countAt, endOfValue, isKey, readMembers, skipSpace, type MemberReader } from './json-members';

/** The output that a body requests. */
export interface OutputDemand {
  /**
   * Maximum tokens of one response: the largest bound in the body. Infinity when it cannot be read,
   * null when none is given.
   */
  readonly bound: number | null;
  /** Reasoning tokens; part of the bound if there is one. */
  readonly thinking: number;
  /** Responses per prompt: the largest of `n`, `best_of` and their equivalents in other APIs. */
  readonly choices: number;
  readonly prompts: number;
  /**
   * Name of a member that must be a whole number and is not, or that was not seen completely; null
   * when all were read. Providers may read it as different amounts; the other fields assume the
   * largest.
   */
  readonly unread: string | null;
}

export const NO_DEMAND: OutputDemand = { bound: null, thinking: 0, choices: 1, prompts: 1, unread: null };

type Amount = 'bound' | 'choices' | 'thinking';
type Kind = Amount | 'group' | 'prompts';

/** Names used by providers' APIs, at the top level or in a group of settings. */
const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  bound: [
    ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'max_new_tokens'],
    ...['max_tokens_to_sample', 'maxTokens', 'maxTokenCount', 'max_gen_len', 'num_predict'],
  ],
  choices: [
    ...['n', 'best_of', 'candidateCount', 'candidate_count', 'num_return_sequences', 'num_generations'],
    ...['numResults', 'sampleCount', 'numberOfImages', 'num_images'],
  ],
  thinking: ['budget_tokens', 'thinkingBudget', 'thinking_budget'],
  group: [
    ...['generationConfig', 'generation_config', 'thinking', 'thinkingConfig', 'thinking_config'],
    ...['parameters', 'options', 'inferenceConfig', 'textGenerationConfig', 'imageGenerationConfig'],
  ],
  prompts: ['prompt'],
};
const KINDS = new Map(
  (Object.keys(NAMES) as Kind[]).flatMap((kind) => NAMES[kind].map((name) => [name, kind] as const)),
);
/** The same names by their first byte. */
const BY_LETTER: readonly (readonly string[] | undefined)[] = Array.from({ length: 128 }, (_, byte) => {
  const found = [...KINDS.keys()].filter((name) => name.charCodeAt(0) === byte);
  return found.length === 0 ? undefined : found;
});

/** Nesting depth of groups, for example Gemini's `generationConfig.thinkingConfig`. */
const DEPTH_MAX = 2;
/** Amounts assumed for a value that is not a number; OpenAI accepts at most 128 choices. */
const UNREAD: Readonly<Record<Amount, number>> = { bound: Infinity, choices: 128, thinking: 0 };
/** Maximum counted items of a list of prompts or tokens; no model accepts more. */
const PROMPT_ITEMS_MAX = 100_000;
/** A longer text is not a number. */
const TEXT_MAX = 62;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;

/** Represents any value that is not a number. */
const ODD = Symbol('odd');

/**
 * Reads the output demand from the members of a body. If a member occurs twice, the larger value
 * counts.
 * A member that is not relevant costs one comparison of a byte and a length.
 */
export class DemandReader implements MemberReader {
  /** A member whose nested value was read. */
  private nested: string | null = null;
  private bound = -1;
  private thinking = 0;
  private choices = 1;
  private prompts = 1;
  private unread: string | null = null;
  private depth = 0;

  /** Returns false when the value is in doubt; then the object that contains it is in doubt too. */
  member(body: Buffer, keyStart: number, keyEnd: number, valueStart: number, valueEnd: number): boolean {
    const names = BY_LETTER[body[keyStart + 1] ?? 0];
    if (names === undefined) return true;
    for (const name of names) {
      if (isKey(body, keyStart, keyEnd, name)) return this.named(name, body, valueStart, valueEnd);
    }
    return true;
  }

  /**
   * Returns the demand. `isWhole` is false for the skeleton of a larger body, in which every nested
   * value is empty (see `BodySkim`).
   */
  demand(isWhole = true): OutputDemand {
    const { bound, thinking, choices, prompts } = this;
    const unread = this.unread ?? (isWhole ? null : this.nested);
    if (bound < 0 && thinking === 0 && choices === 1 && prompts === 1 && unread === null) return NO_DEMAND;
    return { bound: bound < 0 ? null : bound, thinking, choices, prompts, unread };
  }

  /** Adds a parsed value. */
  add(name: string, value: unknown): void {
    const kind = KINDS.get(name);
    if (kind === undefined) return;
    if (kind === 'prompts') this.prompts = Math.max(this.prompts, countPrompts(value));
    else if (kind === 'group') this.addGroup(value);
    else this.amount(name, kind, value);
  }

  private addGroup(value: unknown): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || this.depth >= DEPTH_MAX)
      return;
    this.depth += 1;
    for (const name of KINDS.keys()) {
      if (name !== 'prompt' && Object.hasOwn(value, name))
        this.add(name, (value as Record<string, unknown>)[name]);
    }
    this.depth -= 1;
  }

  private named(name: string, body: Buffer, start: number, end: number): boolean {
    const kind = KINDS.get(name) as Kind;
    if (kind === 'prompts') return this.depth > 0 || this.promptsAt(body, start);
    if (kind === 'group') return this.groupAt(name, body, start);
    this.amount(name, kind, valueAt(body, start, end));
    return true;
  }

  private groupAt(name: string, body: Buffer, start: number): boolean {
    if (body[start] !== OPEN_OBJECT || this.depth >= DEPTH_MAX) return true;
    this.nested ??= name;
    this.depth += 1;
    const isRead = readMembers(body, start, this) >= 0;
    this.depth -= 1;
    return isRead;
  }

  /** Counts the prompts of a list; a list of tokens is one prompt. */
  private promptsAt(body: Buffer, start: number): boolean {
    if (body[start] !== OPEN_ARRAY) return true;
    this.nested ??= 'prompt';
    let texts = 0;
    let hasTokens = false;
    let at = skipSpace(body, start + 1);
    for (let items = 0; body[at] !== CLOSE_ARRAY; items += 1) {
      if (items === PROMPT_ITEMS_MAX) {
        this.unread ??= 'prompt';
        break;
      }
      if (beginsNumber(body[at] ?? 0)) hasTokens = true;
      else texts += 1;
      const end = endOfValue(body, at);
      if (end < 0) return false;
      at = skipSpace(body, end);
      if (body[at] === COMMA) at = skipSpace(body, at + 1);
      else if (body[at] !== CLOSE_ARRAY) return false;
    }
    this.prompts = Math.max(this.prompts, texts + (hasTokens ? 1 : 0));
    return true;
  }

  /** Adds an amount; null counts as absent. */
  private amount(name: string, kind: Amount, value: unknown): void {
    // A negative reasoning budget leaves the amount to the model, within the bound.
    if (value === null || (kind === 'thinking' && isBelow0(value))) return;
    if (!Number.isSafeInteger(value) || isBelow0(value)) this.unread ??= name;
    this[kind] = Math.max(this[kind], largestOf(value) ?? UNREAD[kind]);
  }
}

const isBelow0 = (value: unknown): boolean => typeof value === 'number' && value < 0;

/**
 * Returns the output demand of a parsed body: the same as a scan of its bytes, except for members
 * given twice.
 */
export function demandOf(body: Readonly<Record<string, unknown>>): OutputDemand {
  const reader = new DemandReader();
  for (const name of KINDS.keys()) if (Object.hasOwn(body, name)) reader.add(name, body[name]);
  return reader.demand();
}

/** Returns the output demand of a form's fields, whose values are always text. */
export function demandOfFields(fields: Iterable<readonly [name: string, value: string]>): OutputDemand {
  const reader = new DemandReader();
  for (const [name, value] of fields) reader.add(name, PLAIN_COUNT.test(value) ? Number(value) : value);
  return reader.demand();
}

const PLAIN_COUNT = /^\d{1,9}$/;

/** Returns the larger of two demands, member by member. */
export function largerDemand(one: OutputDemand, other: OutputDemand): OutputDemand {
  if (other === NO_DEMAND) return one;
  const bound = Math.max(one.bound ?? -1, other.bound ?? -1);
  return {
    bound: bound < 0 ? null : bound,
    thinking: Math.max(one.thinking, other.thinking),
    choices: Math.max(one.choices, other.choices),
    prompts: Math.max(one.prompts, other.prompts),
    unread: one.unread ?? other.unread,
  };
}

function countPrompts(value: unknown): number {
  if (!Array.isArray(value)) return 1;
  let tokens = 0;
  for (const item of value) if (typeof item === 'number') tokens += 1;
  return value.length - tokens + (tokens > 0 ? 1 : 0);
}

/**
 * Returns the largest amount that a parser could read from a value; null when it is not an amount.
 */
function largestOf(value: unknown): number | null {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && amount >= 0 ? Math.ceil(amount) : null;
}

/** Reads a primitive as `JSON.parse` would, if it may be an amount. */
function valueAt(body: Buffer, start: number, end: number): unknown {
  const count = countAt(body, start, end);
  if (count >= 0) return count;
  const first = body[start] ?? 0;
  const isText = first === QUOTE;
  if (first === OPEN_OBJECT || first === OPEN_ARRAY || end - start > TEXT_MAX + 2) return ODD;
  const text = isText ? body.toString('latin1', start + 1, end - 1) : body.toString('latin1', start, end);
  if (isText) return text.includes('\\') ? ODD : text;
  if (text === 'null') return null;
  return text === 'true' || text === 'false' ? ODD : Number(text);
}

const beginsNumber = (byte: number): boolean => byte === MINUS || (byte >= 0x30 && byte <= 0x39);
