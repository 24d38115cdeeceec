import { countAt, endOfValue, isKey, readMembers, skipSpace, type MemberReader } from './json-members';

/** How much output a body asks for, as far as it says so. */
export interface OutputDemand {
  /** Tokens of one answer, the largest bound that the body names; Infinity: one that cannot be read; null: it names none. */
  readonly bound: number | null;
  /** Tokens for reasoning, a part of the bound where there is one. */
  readonly thinking: number;
  /** Answers to each prompt: `n`, `best_of` and what other APIs call them, whichever is the largest. */
  readonly choices: number;
  readonly prompts: number;
  /**
   * A member that must be a whole number and is none, or that was not seen whole: providers may take it for different amounts, and the others
   * here say the largest of them. Null: all were read.
   */
  readonly unread: string | null;
}

export const NO_DEMAND: OutputDemand = { bound: null, thinking: 0, choices: 1, prompts: 1, unread: null };

type Amount = 'bound' | 'choices' | 'thinking';
type Kind = Amount | 'group' | 'prompts';

/** What the APIs of providers call it, at the top level or in a group of settings. */
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

/** Settings of settings: Gemini's `generationConfig.thinkingConfig`. */
const DEPTH_MAX = 2;
/** What is no number is taken for so much; of choices it is the most that OpenAI takes. */
const UNREAD: Readonly<Record<Amount, number>> = { bound: Infinity, choices: 128, thinking: 0 };
/** Items of a list of prompts, or of its tokens, that are counted; no model takes more. */
const PROMPT_ITEMS_MAX = 100_000;
/** Longer texts are no numbers. */
const TEXT_MAX = 62;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;

/** Represents a value that is no number, whatever else it is. */
const ODD = Symbol('odd');

/**
 * Adds up what the members of a body say, from its bytes. Of a member that is given twice the larger one counts. What is not looked for
 * costs one comparison of a byte and a length.
 */
export class DemandReader implements MemberReader {
  /** A member that was looked into. */
  private nested: string | null = null;
  private bound = -1;
  private thinking = 0;
  private choices = 1;
  private prompts = 1;
  private unread: string | null = null;
  private depth = 0;

  /** False: it is in doubt, as what holds it is then. */
  member(body: Buffer, keyStart: number, keyEnd: number, valueStart: number, valueEnd: number): boolean {
    const names = BY_LETTER[body[keyStart + 1] ?? 0];
    if (names === undefined) return true;
    for (const name of names) {
      if (isKey(body, keyStart, keyEnd, name)) return this.named(name, body, valueStart, valueEnd);
    }
    return true;
  }

  /** `isWhole` false: the bytes were a skeleton, which has nothing of nested values. */
  demand(isWhole = true): OutputDemand {
    const { bound, thinking, choices, prompts } = this;
    const unread = this.unread ?? (isWhole ? null : this.nested);
    if (bound < 0 && thinking === 0 && choices === 1 && prompts === 1 && unread === null) return NO_DEMAND;
    return { bound: bound < 0 ? null : bound, thinking, choices, prompts, unread };
  }

  /** Of a value that was parsed. */
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

  /** Counts the items of a list; one of tokens is one prompt. */
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

  /** Null is taken as not given. */
  private amount(name: string, kind: Amount, value: unknown): void {
    // A budget for reasoning below 0 leaves it to the model, within the bound.
    if (value === null || (kind === 'thinking' && isBelow0(value))) return;
    if (!Number.isSafeInteger(value) || isBelow0(value)) this.unread ??= name;
    this[kind] = Math.max(this[kind], largestOf(value) ?? UNREAD[kind]);
  }
}

const isBelow0 = (value: unknown): boolean => typeof value === 'number' && value < 0;

/** How much output a parsed body asks for: the same as a scan of its bytes says, but for members that are given twice. */
export function demandOf(body: Readonly<Record<string, unknown>>): OutputDemand {
  const reader = new DemandReader();
  for (const name of KINDS.keys()) if (Object.hasOwn(body, name)) reader.add(name, body[name]);
  return reader.demand();
}

/** How much output the fields of a form ask for; their values are always texts. */
export function demandOfFields(fields: Iterable<readonly [name: string, value: string]>): OutputDemand {
  const reader = new DemandReader();
  for (const [name, value] of fields) reader.add(name, PLAIN_COUNT.test(value) ? Number(value) : value);
  return reader.demand();
}

const PLAIN_COUNT = /^\d{1,9}$/;

/** What both ask for, each part as the larger of them says. */
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

/** The largest amount that a reader could take a value for; null: it is no amount. */
function largestOf(value: unknown): number | null {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && amount >= 0 ? Math.ceil(amount) : null;
}

/** Of a primitive, as JSON.parse has it, where it may be an amount. */
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
