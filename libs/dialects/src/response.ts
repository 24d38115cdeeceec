import type { Citation, Dialect, Extensions, Part, Seal } from './call';

/** Why a candidate ended, with the provider's own reason. */
export interface Finish {
  readonly reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause' | 'error';
  /** The provider's own reason. */
  readonly raw?: string;
  readonly stopSequence?: string;
  /** Explanation by the provider, such as why it refused. */
  readonly detail?: string;
}

export interface Logprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
  readonly top?: readonly Logprob[];
}

/**
 * Token counts as the ledger uses them: `input` includes cache reads and writes, `output` includes
 * reasoning. Absent means unknown.
 */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` with a lifetime of one hour. */
  readonly cacheWrite1h: number;
  readonly reasoning: number;
  readonly inputAudio: number;
  readonly outputAudio: number;
  readonly inputImage: number;
  readonly outputImage: number;
  readonly acceptedPrediction: number;
  readonly rejectedPrediction: number;
  /** Searches that the provider charges for. */
  readonly searches?: number;
}

export const NO_TOKENS: TokenUsage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  inputAudio: 0,
  outputAudio: 0,
  inputImage: 0,
  outputImage: 0,
  acceptedPrediction: 0,
  rejectedPrediction: 0,
});

export interface Candidate {
  readonly index: number;
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly logprobs?: readonly Logprob[];
}

/** A complete successful response. */
export interface ModelResponse {
  /** The provider's id; '' when it has none. */
  readonly id: string;
  /** '' when the provider does not repeat it. */
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  readonly candidates: readonly Candidate[];
  readonly usage?: TokenUsage;
  readonly serviceTier?: string;
  readonly fingerprint?: string;
  /** Members of the provider's dialect with no place above. */
  readonly x?: Extensions;
}

/** Class of a provider's error; decides retries, breakers and the client's error type. */
export type FaultClass =
  | 'invalid'
  | 'blocked'
  | 'auth'
  | 'billing'
  | 'permission'
  | 'not_found'
  | 'timeout'
  | 'conflict'
  | 'too_large'
  | 'rate'
  | 'overloaded'
  | 'server'
  | 'closed';

/** An error of a provider or the gateway, which a client gets in its own dialect. */
export interface ProviderFault {
  readonly class: FaultClass;
  readonly message: string;
  /** HTTP status for the client. */
  readonly status: number;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  readonly retryAfterMs?: number;
}

/**
 * One event of a response stream. `c` is the candidate, `i` the block in it; both count from 0, and
 * a block number is not reused. Order: one `start`; each block is opened, filled and closed;
 * `finish` for each candidate; `usage`; `done`. After `done` or `error` nothing follows.
 */
export type StreamEvent =
  | {
      readonly t: 'start';
      readonly id: string;
      readonly model: string;
      readonly created: number;
      readonly usage?: TokenUsage;
    }
  /**
   * Opens a block. `part` has no text or arguments yet. Id and name of a tool call are final; the
   * part contains a seal that is already known.
   */
  | { readonly t: 'open'; readonly c: number; readonly i: number; readonly part: Part }
  /** Text of a text, refusal or reasoning part. */
  | { readonly t: 'text'; readonly c: number; readonly i: number; readonly text: string }
  /** A fragment of a tool call's arguments. */
  | { readonly t: 'args'; readonly c: number; readonly i: number; readonly json: string }
  | { readonly t: 'seal'; readonly c: number; readonly i: number; readonly seal: Seal }
  | { readonly t: 'cite'; readonly c: number; readonly i: number; readonly citation: Citation }
  /** Bytes of a media part. */
  | { readonly t: 'data'; readonly c: number; readonly i: number; readonly base64: string }
  | { readonly t: 'logprobs'; readonly c: number; readonly i: number; readonly items: readonly Logprob[] }
  | { readonly t: 'close'; readonly c: number; readonly i: number }
  | { readonly t: 'finish'; readonly c: number; readonly finish: Finish }
  /** Usage of the response, which replaces an earlier one; usages are never summed. */
  | { readonly t: 'usage'; readonly usage: TokenUsage }
  | { readonly t: 'ping' }
  | { readonly t: 'error'; readonly fault: ProviderFault }
  | { readonly t: 'done' };

/** Makers whose seals a dialect's provider may have issued. */
export const SEAL_MAKER: Readonly<Record<Dialect, Seal['by']>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
  'bedrock-converse': 'anthropic',
  'cohere-v2': 'cohere',
  mistral: 'mistral',
  ollama: 'deepseek',
};
