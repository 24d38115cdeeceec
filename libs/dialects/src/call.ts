/**
 * The neutral form of a model call and of its parts. A codec decodes a client's body to it, another
 * encodes it for a provider. A member that is absent was not sent by the client: decoders fill in
 * no defaults, encoders fill in what their dialect requires.
 */

/** A request format with its own paths, bodies, streams and errors. */
export type Dialect =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'gemini'
  | 'bedrock-converse'
  | 'cohere-v2'
  | 'mistral'
  | 'ollama';

export type JsonObject = Record<string, unknown>;

/**
 * Members of one dialect that have no place in the neutral form; only an encoder of that dialect
 * writes them.
 */
export type Extensions = Readonly<Partial<Record<Dialect, JsonObject>>>;

/** A prompt cache mark: the provider may cache everything up to and including the marked part. */
export interface CacheMark {
  readonly ttl?: '5m' | '30m' | '1h';
}

/** Maker of a sealed value; the value must be sent to no other maker. */
export type SealMaker =
  'anthropic' | 'google' | 'openai' | 'xai' | 'openrouter' | 'cohere' | 'mistral' | 'deepseek';

/**
 * Opaque proof of reasoning: a signature, encrypted content, a thought signature, or redacted data.
 */
export interface Seal {
  readonly by: SealMaker;
  readonly value: string;
  /** Whether the value replaces the text (redacted thinking), instead of signing it. */
  readonly redacted?: boolean;
}

/**
 * Location of the bytes of a media part. A `url` may also be `gs://` or `s3://`; a `file` belongs
 * to one account of `owner`.
 */
export type Source =
  | { readonly at: 'base64'; readonly data: string }
  | { readonly at: 'url'; readonly url: string }
  | { readonly at: 'file'; readonly id: string; readonly owner: Dialect }
  | { readonly at: 'text'; readonly text: string };

export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly citedText?: string;
  /** Code units of the message's text. */
  readonly start?: number;
  readonly end?: number;
  /** The citation in its own dialect. */
  readonly raw?: { readonly dialect: Dialect; readonly data: JsonObject };
}

interface PartBase {
  readonly cache?: CacheMark;
  readonly x?: Extensions;
  /** Path in the client's body (`messages.1.content.0`); absent in responses. */
  readonly at?: string;
}

export interface TextPart extends PartBase {
  readonly kind: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
  /** Signature on a plain part, as Gemini puts it on the last one of a turn. */
  readonly seal?: Seal;
}

export interface RefusalPart extends PartBase {
  readonly kind: 'refusal';
  readonly text: string;
}

export interface MediaPart extends PartBase {
  readonly kind: 'media';
  readonly media: 'image' | 'audio' | 'video' | 'document';
  /** Lower case, `image/jpg` as `image/jpeg`; absent when the client did not say. */
  readonly mime?: string;
  readonly source: Source;
  readonly name?: string;
  readonly detail?: 'low' | 'high' | 'original' | 'auto';
  readonly title?: string;
  readonly context?: string;
  /** Whether the model should cite this document. */
  readonly citations?: boolean;
  readonly clip?: { readonly startMs?: number; readonly endMs?: number; readonly fps?: number };
  readonly seal?: Seal;
}

export interface ToolCallPart extends PartBase {
  readonly kind: 'tool_call';
  /** The client's or the provider's id; '' when the dialect has none. */
  readonly id: string;
  readonly name: string;
  /** Text of a JSON object exactly as received; '' means no arguments. Free text when `custom`. */
  readonly args: string;
  readonly custom?: boolean;
  readonly seal?: Seal;
}

export interface ToolResultPart extends PartBase {
  readonly kind: 'tool_result';
  readonly callId: string;
  /** Name of the called tool, where the dialect repeats it. */
  readonly name?: string;
  readonly error?: boolean;
  /** Text, media, search results, and `opaque` parts. */
  readonly parts: readonly Part[];
}

export interface ReasoningPart extends PartBase {
  readonly kind: 'reasoning';
  /** '' when the provider left it out or redacted it. */
  readonly text: string;
  /** Whether the text is a summary. */
  readonly summary?: boolean;
  readonly seal?: Seal;
  readonly itemId?: string;
}

/** A call or a result of a tool that the provider runs itself. */
export interface HostedPart extends PartBase {
  readonly kind: 'hosted_call' | 'hosted_result';
  /** Neutral name (`web_search`), or the provider's own type. */
  readonly tool: string;
  readonly data: JsonObject;
  readonly dialect: Dialect;
}

export interface SearchResultPart extends PartBase {
  readonly kind: 'search_result';
  readonly source: string;
  readonly title: string;
  readonly parts: readonly Part[];
  readonly citations?: boolean;
}

/** A part of a type that the decoder does not know. */
export interface OpaquePart extends PartBase {
  readonly kind: 'opaque';
  readonly dialect: Dialect;
  readonly data: JsonObject;
}

export type Part =
  | TextPart
  | RefusalPart
  | MediaPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | HostedPart
  | SearchResultPart
  | OpaquePart;

export interface SystemPart {
  readonly role: 'system' | 'developer';
  readonly text: string;
  readonly cache?: CacheMark;
  readonly x?: Extensions;
  readonly at?: string;
}

/**
 * One message. Tool results are parts of a user turn. A `system` turn is one that follows other
 * turns.
 */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly name?: string;
  readonly parts: readonly Part[];
  /** Whether the response should continue this last assistant turn. */
  readonly prefill?: boolean;
  readonly x?: Extensions;
  /** Path in the client's body (`messages.1`). */
  readonly at?: string;
}

/** Options of web search, which every dialect spells differently. */
export interface WebSearch {
  readonly contextSize?: 'low' | 'medium' | 'high';
  readonly location?: {
    readonly city?: string;
    readonly region?: string;
    readonly country?: string;
    readonly timezone?: string;
  };
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  readonly maxUses?: number;
}

export interface Tool {
  readonly kind: 'function' | 'custom' | 'hosted';
  /** Name of the tool. For a hosted tool, `web_search` or the provider's type. */
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly schema?: JsonObject;
  readonly strict?: boolean;
  readonly cache?: CacheMark;
  /** Grammar that the input of a `custom` tool must match; free text when absent. */
  readonly grammar?: { readonly syntax: string; readonly definition: string };
  readonly hosted?: { readonly dialect: Dialect; readonly type: string; readonly config: JsonObject };
  /**
   * Options of web search, which encoders of other dialects translate; present when `name` is
   * `web_search`.
   */
  readonly search?: WebSearch;
  readonly x?: Extensions;
  readonly at?: string;
}

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'named'; readonly name: string }
  | { readonly mode: 'allowed'; readonly require: boolean; readonly names: readonly string[] };

export type OutputFormat = { readonly x?: Extensions } & (
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
    }
  | { readonly kind: 'grammar'; readonly grammar: string }
);

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface Reasoning {
  readonly effort?: Effort;
  /** Number of tokens; -1 lets the model decide. */
  readonly budget?: number;
  readonly adaptive?: boolean;
  readonly summary?: 'auto' | 'concise' | 'detailed' | 'off';
}

export type ServiceTier = 'auto' | 'default' | 'flex' | 'priority' | 'scale' | 'batch' | 'fast';

export interface ModelCall {
  /** The client's dialect. */
  readonly from?: Dialect;
  readonly model: string;
  readonly stream: boolean;
  /** Number of candidates; 1 when absent. */
  readonly n?: number;
  /** Leading system and developer text, in order. */
  readonly system: readonly SystemPart[];
  /**
   * At least one turn. Consecutive turns may have the same role: encoders merge them where their
   * dialect requires it.
   */
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelTools?: boolean;
  readonly output?: OutputFormat;
  readonly modalities?: readonly ('text' | 'image' | 'audio')[];
  readonly audioOut?: { readonly voice: string; readonly format: string };
  readonly reasoning?: Reasoning;
  readonly verbosity?: 'low' | 'medium' | 'high';
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly seed?: number;
  /** Requests log probabilities; `top` is the number of alternatives for each token, 0 to 20. */
  readonly logprobs?: { readonly top: number };
  readonly cache?: {
    readonly key?: string;
    /** Whether the last block of the request is marked. */
    readonly auto?: boolean;
    readonly ttl?: '5m' | '30m' | '1h' | '24h';
    /** Name of a Gemini cachedContents resource. */
    readonly resource?: string;
  };
  readonly serviceTier?: ServiceTier;
  readonly user?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly store?: boolean;
  readonly safety?: readonly { readonly category: string; readonly threshold: string }[];
  readonly guardrail?: JsonObject;
  readonly prediction?: string;
  readonly previous?: { readonly responseId?: string; readonly conversationId?: string };
  readonly truncation?: 'auto' | 'disabled';
  /**
   * Extra members that the client requests in the response, besides log probabilities and sealed
   * reasoning.
   */
  readonly include?: readonly string[];
  /** Whether the client wants sealed reasoning, which the Responses API returns on request only. */
  readonly sealedReasoning?: boolean;
  readonly background?: boolean;
  /** Whether a Chat Completions client wants the usage chunk. */
  readonly streamUsage?: boolean;
  /** Top-level members of the client's dialect with no place above. */
  readonly x?: Extensions;
  /**
   * The client's own name of each member, for errors and losses (`max_completion_tokens`,
   * `text.format`).
   */
  readonly paths: CallPaths;
}

/** Members of a call that an encoder may be unable to express. */
export type CallMember = Exclude<keyof ModelCall, 'from' | 'paths' | 'x' | 'system' | 'turns' | 'stream'>;

/** Members of a part that an encoder may be unable to express; a kind of media means its source. */
export type PartMember =
  MediaPart['media'] | 'arguments' | 'callId' | 'name' | 'error' | 'cache' | 'detail' | 'title' | 'citations';

/**
 * Paths of members in the client's body. `parts` holds the paths of a part's members, relative to
 * the part (`function.arguments`); each dialect has one constant.
 */
export type CallPaths = Readonly<
  Partial<Record<CallMember | 'system' | 'turns' | 'reasoningSummary' | 'topLogprobs', string>>
> & {
  readonly parts?: Readonly<Partial<Record<PartMember, string>>>;
};

/** Returns the client's path of a member; the neutral name when the client's dialect has none. */
export const pathOf = (call: ModelCall, member: Exclude<keyof CallPaths, 'parts'>): string =>
  call.paths[member] ?? member;

/**
 * Returns the client's path of a part's member (`messages.1.tool_calls.0.function.arguments`); the
 * path of the part when it has none.
 */
export function partPath(call: ModelCall, part: { readonly at?: string }, member: PartMember): string {
  const at = part.at ?? pathOf(call, 'turns');
  const name = call.paths.parts?.[member];
  return name === undefined ? at : `${at}.${name}`;
}
