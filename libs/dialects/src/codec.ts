import type { Dialect, JsonObject, ModelCall } from './call';
import type { LossLedger } from './losses';
import type { ModelResponse, ProviderFault, StreamEvent } from './response';
import type { Target } from './target';

/**
 * Parts of a call outside of the client's body: Gemini clients put them into the path, those of
 * Anthropic into a header.
 */
export interface CallAddress {
  readonly model?: string;
  readonly stream?: boolean;
  /**
   * Whether a Gemini client gets its stream as one JSON list, because it did not send `alt=sse`.
   */
  readonly listStream?: boolean;
  /** Value of the header `anthropic-beta`, for providers that accept its flags in the body. */
  readonly betas?: string;
}

/** A call in the form that a provider accepts. */
export interface ProviderCall {
  /** Path after the base URL of the provider (`/chat/completions`), query included. */
  readonly path: string;
  readonly body: JsonObject;
  /**
   * Whether the schema of the output is enforced by a tool named `json_output`, whose arguments are
   * the text.
   */
  readonly outputTool?: boolean;
}

/** Facts for decoding a provider's response. */
export interface ProviderContext {
  readonly call: ModelCall;
  readonly target: Target;
  /** Id for a response whose dialect has none. */
  readonly requestId: string;
  /** Unix seconds, for a response whose dialect has no time. */
  readonly createdAt: number;
  readonly outputTool?: boolean;
  /** Provider headers in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Facts for encoding a response for the client. */
export interface ClientContext {
  readonly call: ModelCall;
  /** The client's body after parameter rules; some dialects repeat members of it. */
  readonly request: JsonObject;
  /** Id of the provider that responds. */
  readonly provider: string;
  /** The model that the response names when the provider does not. */
  readonly model: string;
  readonly requestId: string;
  /** Unix seconds, for a response without a time. */
  readonly createdAt: number;
  /** Whether members outside the client's dialect are left out. */
  readonly strict?: boolean;
  /** Whether a Gemini client gets its stream as one JSON list; see `CallAddress`. */
  readonly listStream?: boolean;
  /** Records what the client's dialect cannot express. */
  readonly losses?: Pick<LossLedger, 'note'>;
}

/**
 * Reads a provider's stream. Memory is bounded by one event (8 MiB; a frame of AWS 16 MiB) and the
 * open blocks (1 MiB each).
 */
export interface StreamDecoder {
  /** Returns the events that these bytes complete; the bytes may be split anywhere. */
  write(chunk: Buffer): StreamEvent[];
  /**
   * Called when the provider has closed the stream. Returns the last events; an incomplete stream
   * ends with `error`, never with `done`.
   */
  end(): StreamEvent[];
}

/** Writes a stream for a client. After `done` or `error`, nothing is written. */
export interface StreamEncoder {
  readonly contentType: string;
  /** Whether the encoder itself ended the stream with an error, because it could hold no more. */
  readonly hasFailed?: boolean;
  /** Returns the client's text of the events; '' when none is due yet. */
  write(events: readonly StreamEvent[]): string;
  /** Text that keeps the connection alive; it may be written between any two writes. */
  readonly keepAlive: string;
}

/** Tokens of a call, counted by a provider without a response. */
export interface TokenCount {
  readonly input: number;
  /** Tokens of `input` that come from a cache. */
  readonly cached?: number;
}

/** The client's side of counting tokens. */
export interface ClientTokenCounter {
  /** Throws `validation_failed` with the path in the body when the body breaks the dialect. */
  decodeCall(body: JsonObject, address?: CallAddress): ModelCall;
  encodeResponse(count: TokenCount): JsonObject;
}

/** The provider's side of counting tokens. */
export interface ProviderTokenCounter {
  /** Records in `losses` what the target cannot express; the caller calls `losses.check()`. */
  encodeCall(call: ModelCall, target: Target, losses: LossLedger): ProviderCall;
  /** Throws `provider_answer_invalid` for a body without a count. */
  decodeResponse(body: JsonObject): TokenCount;
}

/** The client's side of a dialect: reads its calls and writes its responses. */
export interface ClientCodec {
  readonly dialect: Dialect;
  /** Throws `validation_failed` with the path in the body when the body breaks the dialect. */
  decodeCall(body: JsonObject, address?: CallAddress): ModelCall;
  /** Rewrites features that no other dialect has, for targets of other dialects. */
  toNeutral?(call: ModelCall): ModelCall;
  encodeResponse(response: ModelResponse, context: ClientContext): JsonObject;
  encodeStream(context: ClientContext): StreamEncoder;
  /** Returns the body of an error; the HTTP status is `fault.status`. */
  encodeError(fault: ProviderFault, requestId: string): JsonObject;
  /** Absent when the dialect has no route that counts tokens. */
  readonly tokenCounter?: ClientTokenCounter;
}

/** The provider's side of a dialect: writes calls and reads responses. */
export interface ProviderCodec {
  readonly dialect: Dialect;
  /** Records in `losses` what the target cannot express; the caller calls `losses.check()`. */
  encodeCall(call: ModelCall, target: Target, losses: LossLedger): ProviderCall;
  /** Throws `provider_answer_invalid` for a body that is not a response. */
  decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse;
  decodeStream(context: ProviderContext): StreamDecoder;
  /** Absent when the dialect has no route that counts tokens. */
  readonly tokenCounter?: ProviderTokenCounter;
}
