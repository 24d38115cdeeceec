import type { Dialect, SealMaker } from '../../call';

/**
 * Conversations and responses in a dialect-independent form, from which tests write them in a
 * dialect.
 */

export interface PlainText {
  readonly kind: 'text';
  readonly text: string;
}
export interface PlainReasoning {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly seal?: { readonly by: SealMaker; readonly value: string };
}
export interface PlainCall {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Google's signature of the call. */
  readonly seal?: string;
}
export interface PlainImage {
  readonly kind: 'image';
  /** Base64 of a PNG. */
  readonly data: string;
}
export interface PlainResult {
  readonly kind: 'result';
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export type PlainUserPart = PlainText | PlainImage;
export type PlainModelPart = PlainText | PlainReasoning | PlainCall;

/** A turn; the results of a user turn come before its other parts. */
export type PlainTurn =
  | {
      readonly role: 'user';
      readonly results: readonly PlainResult[];
      readonly parts: readonly PlainUserPart[];
    }
  | { readonly role: 'assistant'; readonly parts: readonly PlainModelPart[] };

export interface PlainTool {
  readonly name: string;
  readonly description?: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface PlainConversation {
  readonly system: readonly string[];
  readonly turns: readonly PlainTurn[];
  readonly tools: readonly PlainTool[];
  readonly stops: readonly string[];
  readonly maxTokens: number;
  readonly stream: boolean;
}

export interface PlainUsage {
  /** Input tokens, including cached ones. */
  readonly input: number;
  readonly cacheRead: number;
  /** Output tokens, including reasoning. */
  readonly output: number;
  readonly reasoning: number;
}

export interface PlainResponse {
  readonly id: string;
  readonly parts: readonly PlainModelPart[];
  readonly finish: 'stop' | 'length';
  readonly usage: PlainUsage;
}

/** Maker of the seals that a provider of each dialect issues; null if it issues none. */
export const MAKERS: Readonly<Record<Dialect, SealMaker | null>> = {
  'anthropic-messages': 'anthropic',
  'bedrock-converse': 'anthropic',
  'cohere-v2': null,
  gemini: 'google',
  mistral: 'mistral',
  ollama: null,
  'openai-chat': null,
  'openai-responses': 'openai',
};

/** Cuts a text into the pieces of its deltas; '' has no pieces. */
export type Cut = (text: string) => readonly string[];
