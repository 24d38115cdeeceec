import type { ConfigurationField, RouteKind, Usage } from '@gw/contracts';
import type { Losses } from './losses';

/** The client's own dialect: decides error bodies, terminal events and the end mark of a stream. */
export type Dialect = 'openai' | 'anthropic';

export type JsonObject = Record<string, unknown>;

export interface Credential {
  /** Null: the provider takes none, or the caller brought an `Authorization` of its own that is sent as it is. */
  readonly apiKey: string | null;
  /** The integration's or the config's provider fields, snake_case: `openai_organization`, `azure_resource_name`, … */
  readonly configurations: Readonly<Record<string, unknown>>;
}

/** Flat list of names and values, as Node and undici take it: `['content-type', 'application/json', …]`. Names are lower case. */
export type HeaderList = string[];

/** Turns one client dialect into a provider's and back. Pure: the same translator serves concurrent requests. */
export interface Translator {
  /** Never changes `body`. Throws `GatewayError('validation_failed')` for what the provider cannot express, and `losses` refuses. */
  request(body: JsonObject, losses: Losses): JsonObject;
  /** A complete success answer of the provider, as the client's dialect has it. */
  response(body: JsonObject, context: TranslationContext): JsonObject;
  /** One per stream; takes the provider's bytes in any split, gives the client's bytes. */
  stream(context: TranslationContext): StreamTranslator;
}

export interface TranslationContext {
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The client's body after parameter rules. */
  readonly request: JsonObject;
  /** Id of the provider that answers. */
  readonly provider: string;
  /** The client is shown only what its own dialect has; else the provider's own members too. */
  readonly strict: boolean;
}

export interface StreamTranslator {
  /** Client bytes for this chunk; empty when nothing is complete yet. Memory is bounded by one event (8 MiB). */
  write(chunk: Buffer): Buffer;
  /** What is left once the provider has ended; the end mark only when the provider's stream was complete. */
  end(): Buffer;
  /** True once the provider's own end mark was seen. */
  readonly complete: boolean;
  /** True once the client was sent a terminal error event: nothing may follow it, no second error event either. */
  readonly failed: boolean;
}

/**
 * How a provider serves a route family. Natively: in the client's own dialect, at the client's own path, ids included, behind
 * `prefix`. Translated: at `path`. Either is appended to the base URL.
 */
export type RouteSupport =
  | { readonly via: 'native'; readonly prefix: string }
  | { readonly via: 'translated'; readonly path: string; readonly translator: Translator };

/** What a provider has made and keeps under an id. */
export interface MadeObject {
  readonly object: 'response' | 'thread.run';
  readonly id: string;
  /** Null: it is not known. */
  readonly background: boolean | null;
}

/** Watches the bytes of an answer stream for usage and the end mark, without changing or holding them. */
export interface StreamTap {
  write(chunk: Buffer): void;
  /** True once the provider's end mark (`data: [DONE]`, `message_stop`, …) has gone by. */
  readonly complete: boolean;
  /** True once the provider sent an error event. */
  readonly failed: boolean;
  /** Choices that have ended with a `finish_reason`. Some providers end a stream after the last of them, without an end mark. */
  readonly finishedChoices: number;
  /** A choice, or another part of the output, has come to its end and no other has begun: what was used may follow. */
  readonly usageMayFollow: boolean;
  /** Model that the provider names in its answer. */
  readonly model: string | null;
  /** The response or run that the events are of; null: they name none. */
  readonly made: MadeObject | null;
  /** All that was used, once the provider has said so. */
  usage(): Usage | null;
  /** What a provider says at the beginning of a stream: the input is what was read, the output not all that will come. */
  begun(): Usage | null;
}

export interface ProviderError {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  /** The parameter that the error is about. */
  readonly param?: string;
}

/** A provider whose key may lie in the environment of the set-up. */
export interface EnvironmentKey {
  /** Such as `OPENAI_API_KEY`. */
  readonly variable: string;
  /** Slug of the provider that the set-up saves; the provider's id when absent. */
  readonly slug?: string;
  /** Its name; the provider's name when absent. */
  readonly name?: string;
}

/**
 * All that the product knows of a provider: every reader of a fact about one reads it here. A provider is pure: it addresses, signs,
 * translates and reads; it never opens a connection, reads a clock or the environment.
 */
export interface Provider {
  /** The name that `x-gw-provider` and a config's `provider` take. */
  readonly id: string;
  readonly name: string;
  /** Fields of an integration of this provider, in addition to those of every provider (`COMMON_FIELDS`). */
  readonly fields?: readonly ConfigurationField[];
  readonly environmentKey?: EnvironmentKey;
  /** `gen_ai.provider.name` of the OpenTelemetry semantic conventions, where it differs from the id. */
  readonly telemetryName?: string;
  /**
   * Base URL with its version segment and no trailing slash: `https://api.openai.com/v1`. A custom host replaces it. `model` is
   * the one that the request names, for providers that have it in the address; `kind` is the route's, for those that serve
   * some families elsewhere. Throws `validation_failed` when the configurations do not give an address.
   */
  baseUrl(credential: Credential, model?: string | null, kind?: RouteKind): string;
  /** Headers that carry a credential of this provider: stripped from the caller's, never returned to it. Lower case. */
  readonly credentialHeaders: readonly string[];
  /** Appends this provider's headers: credential, API version, organisation. */
  sign(headers: HeaderList, credential: Credential): void;
  /** True when the provider cannot be called without a credential. */
  readonly needsCredential: boolean;
  /** Provider's own name for the `Vendor-Beta` header, or null. */
  readonly betaHeader: string | null;
  readonly routes: Readonly<Partial<Record<RouteKind, RouteSupport>>>;
  /** Usage in a complete JSON answer of the provider, null when it names none. */
  usage(body: JsonObject): Usage | null;
  /** A tap over the provider's own stream bytes. */
  tap(): StreamTap;
  /** True: a stream of chat or completions tells its usage only where `stream_options.include_usage` asks for it. */
  readonly usageOnRequest?: boolean;
  /** True: a last message of the assistant is the beginning of the answer, which goes on from there. */
  readonly prefill?: boolean;
  /** Message, type and code of a provider's error body, for our own error shape. */
  error(body: JsonObject): ProviderError | null;
  /** Query parameters that every call to this provider carries, such as Azure's `api-version`. The caller's own win. */
  query?(credential: Credential, model?: string | null, kind?: RouteKind): Readonly<Record<string, string>>;
  /** Provider id in the price catalogue, or null. */
  readonly priceCatalogueId: string | null;
  /** Price of a batch in millionths of the usual price; absent: the usual price, or the provider sells no batches. */
  readonly batchMillionths?: number;
  /** In-process answers instead of an address: only `sandbox` has it. */
  readonly local?: LocalProvider;
}

export interface LocalChunk {
  readonly waitMs: number;
  readonly data: Buffer;
}

/** A scripted answer, played by the gateway through the same path as a provider's bytes. */
export interface LocalAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** Waited before the status goes out, milliseconds. */
  readonly delayMs: number;
  /** Each piece is sent `waitMs` after the one before it, and made when it is due. Read once. */
  readonly chunks: Iterable<LocalChunk>;
  /** True: the connection breaks after the last chunk instead of ending. */
  readonly cut: boolean;
}

export interface LocalProvider {
  answer(request: {
    readonly method: string;
    readonly path: string;
    readonly body: Buffer;
    readonly metadata: Readonly<Record<string, string>>;
  }): LocalAnswer;
}

export const defineProvider = (provider: Provider): Provider => Object.freeze(provider);
