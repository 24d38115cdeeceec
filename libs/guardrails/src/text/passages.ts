import { GUARDRAIL_LIMITS } from '../bounds';

/** The author of a text. */
export type PassageKind =
  'system' | 'user' | 'assistant' | 'reasoning' | 'tool_definition' | 'tool_call' | 'tool_result' | 'other';

/** One text of a body and its place. */
export interface Passage {
  readonly kind: PassageKind;
  /** Index of its message, item or choice, from 0. */
  readonly unit: number;
  readonly text: string;
  readonly holder: object;
  readonly key: string | number;
}

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

/** Collects the texts of one body in order. */
export class PassageCollector {
  readonly found: Passage[] = [];
  unit = 0;

  /** Adds `holder[key]` if it is a text. */
  take(kind: PassageKind, holder: object, key: string | number): void {
    const text = (holder as Readonly<Record<string | number, unknown>>)[key];
    if (typeof text !== 'string' || text === '') return;
    if (this.found.length >= GUARDRAIL_LIMITS.passagesMax)
      throw new BodyTooLarge('The body has too many texts.');
    this.found.push({ kind, unit: this.unit, text, holder, key });
  }

  /** Adds every text below a value, whatever the names of its members. */
  walk(kind: PassageKind, holder: object, key: string | number, depth = 0): void {
    if (depth > GUARDRAIL_LIMITS.bodyDepthMax) throw new BodyTooLarge('The body is nested too deeply.');
    const value = (holder as Readonly<Record<string | number, unknown>>)[key];
    if (typeof value === 'string') this.take(kind, holder, key);
    else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) this.walk(kind, value, index, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const name of Object.keys(value)) this.walk(kind, value, name, depth + 1);
    }
  }
}
