import type { JsonObject, ModelCall, Part } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { encodePart } from './encode-content';

/** Differences of a similar dialect from Chat Completions. */
export interface ChatForm {
  readonly dialect: 'openai-chat' | 'mistral';
  /**
   * Whether the dialect has OpenAI's own members: participants' names, developer messages,
   * refusals, custom tools, web search, subsets of tools, and grammars. Other dialects refuse
   * unknown members.
   */
  readonly isOpenAi: boolean;
  /** Encodes a part of a message; null when it has no place in the content. */
  readonly part: (part: Part, losses: LossLedger, call: ModelCall) => JsonObject | null;
  /** Encodes reasoning; null for OpenAI's `reasoning_effort`. */
  readonly reasoning: ((call: ModelCall, target: Target, losses: LossLedger) => JsonObject) | null;
  /** Encodes the service tier. */
  readonly serviceTier: ((call: ModelCall, losses: LossLedger) => string | undefined) | null;
}

export const OPENAI_FORM: ChatForm = {
  dialect: 'openai-chat',
  isOpenAi: true,
  part: encodePart,
  reasoning: null,
  serviceTier: null,
};
