import { GUARDRAIL_LIMITS } from '../bounds';

/**
 * The role of a text: instructions (`system`), a message of the user or the model, the reasoning of
 * the model, a part of the use of a tool, or unknown (`other`).
 */
export type PassageKind =
  'system' | 'user' | 'assistant' | 'reasoning' | 'tool_definition' | 'tool_call' | 'tool_result' | 'other';

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
}

/**
 * API format of a body, which decides where its texts are. In a body of the format `json`, every
 * text counts.
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
  | 'json';

/** A body has more texts, or is more deeply nested, than guardrails can judge. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const NONE: ReadonlySet<string> = new Set();

/** Collects the texts of one body in order. */
export class PassageCollector {
  readonly found: Passage[] = [];
  /** Unit of the next text. The readers of the dialects advance it after each unit. */
  unit = 0;

  /** Adds `holder[key]` if it is a text. */
  take(kind: PassageKind, holder: object, key: string | number): void {
    const text = (holder as Readonly<Record<string | number, unknown>>)[key];
    if (typeof text !== 'string' || text === '') return;
    if (this.found.length >= GUARDRAIL_LIMITS.passagesMax)
      throw new BodyTooLarge('The body has too many texts.');
    this.found.push({ kind, unit: this.unit, text, holder, key });
  }

  /** Adds every text below a value, except below members that are named in `without`. */
  walk(
    kind: PassageKind,
    holder: object,
    key: string | number,
    without: ReadonlySet<string> = NONE,
    depth = 0,
  ): void {
    if (depth > GUARDRAIL_LIMITS.bodyDepthMax) throw new BodyTooLarge('The body is nested too deeply.');
    const value = (holder as Readonly<Record<string | number, unknown>>)[key];
    if (typeof value === 'string') this.take(kind, holder, key);
    else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) this.walk(kind, value, index, without, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const name of Object.keys(value)) {
        if (!without.has(name)) this.walk(kind, value, name, without, depth + 1);
      }
    }
  }
}
