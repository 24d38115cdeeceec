/** A part of a message. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly name: string; readonly id: string | null; readonly input: unknown }
  | { readonly kind: 'tool_result'; readonly id: string | null; readonly parts: readonly Part[] }
  /** `base64` holds media within the body; `url` is shown as text and never loaded. */
  | {
      readonly kind: 'media';
      readonly type: string;
      readonly base64: string | null;
      readonly url: string | null;
    }
  | { readonly kind: 'vector'; readonly size: number; readonly beginning: readonly number[] }
  /** Any other part, shown as JSON. */
  | { readonly kind: 'other'; readonly value: unknown };

export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
  /** Finish reason of the provider, such as `stop` or `length`; null for none. */
  readonly finish: string | null;
}

/** Request and response as messages in order. */
export interface Conversation {
  readonly request: readonly Message[];
  readonly response: readonly Message[];
}

export type Dialect = 'chat' | 'responses' | 'messages' | 'completions' | 'embeddings';

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Parses JSON within a text, such as the arguments of a tool; returns the text when it is not JSON.
 */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.-]+)*;base64,(.*)$/s;

/** Media part of a URL. A `data:` URL contains the media. */
export function mediaOf(url: string, type = 'image/*'): Part {
  const data = DATA_URL.exec(url);
  return data === null
    ? { kind: 'media', type, base64: null, url }
    : { kind: 'media', type: data[1] ?? type, base64: data[2] ?? '', url: null };
}

export const message = (role: string, parts: readonly Part[], finish: unknown = null): Message => ({
  role,
  parts,
  finish: textOf(finish),
});

/** Returns the parts of a text; none for an empty text. */
export const textParts = (text: unknown): readonly Part[] =>
  typeof text === 'string' && text !== '' ? [{ kind: 'text', text }] : [];
