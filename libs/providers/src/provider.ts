import type { CloudIdentity, ConfigurationField, IssuedCredential, RouteKind, Usage } from '@gw/contracts';
import type { CallAddress, LossLedger } from '@gw/dialects';
import type { SignableRequest } from './identity/aws-signature';
import type { LossMode } from '@gw/kernel';

/** The client's dialect; decides error bodies, terminal events and the end marker of a stream. */
export type Dialect = 'openai' | 'anthropic' | 'gemini';

export type JsonObject = Record<string, unknown>;

export interface Credential {
  /**
   * Null when the provider needs no key, or the caller sent its own `Authorization` header, which
   * is passed on.
   */
  readonly apiKey: string | null;
  /**
   * Provider fields of the integration or the config in snake_case: `openai_organization`,
   * `azure_resource_name`, …
   */
  readonly configurations: Readonly<Record<string, unknown>>;
  /**
   * Credential that a token service issued for the provider's `identity`. A bearer token is sent by
   * the gateway; `sign` does not see it as `apiKey`.
   */
  readonly issued?: IssuedCredential;
}

/**
 * Flat list of names and values, as Node and undici take it: `['content-type', 'application/json',
 * …]`. Names are lower case.
 */
export type HeaderList = string[];

/** Translates between a client dialect and a provider's. Pure, so it serves concurrent requests. */
export interface Translator {
  /**
   * Translates a request body without changing it. `address`: the parts of the call that are in the
   * path instead of the body. Throws `validation_failed` for a body that breaks the client's
   * dialect, and `unsupported_by_provider` for members that the provider cannot express.
   */
  request(body: JsonObject, loss: LossMode, address?: CallAddress): TranslatedRequest;
  /**
   * Whether `response` reads numbers and none of them is an argument of a tool, so that the body may
   * be parsed without keeping the spelling of numbers, which bounds their count.
   */
  readonly isNumeric?: boolean;
  /** Translates a complete successful response of the provider to the client's dialect. */
  response(body: JsonObject, context: TranslationContext): JsonObject;
  /**
   * Creates the translator of one stream: it takes the provider's bytes split anywhere, and returns
   * the client's bytes.
   */
  stream(context: TranslationContext): StreamTranslator;
}

/** A request as the provider takes it. */
export interface TranslatedRequest {
  /** Path and query after the base URL: `/messages`, `/models/gemini-2.5-pro:generateContent`. */
  readonly path: string;
  readonly body: JsonObject;
  /** Members that the provider cannot express. */
  readonly losses: Pick<LossLedger, 'losses' | 'more'>;
}

export interface TranslationContext {
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The client's body after parameter rules. */
  readonly request: JsonObject;
  /** Parts of the call that the client put into the path instead of the body. */
  readonly address?: CallAddress;
  /** Id of the provider that responds. */
  readonly provider: string;
  /** Whether the client gets only members of its own dialect, and none of the provider's own. */
  readonly strict: boolean;
}

export interface StreamTranslator {
  /**
   * Returns the client's bytes for this chunk; empty when no event is complete yet. Memory is
   * bounded by one event (8 MiB).
   */
  write(chunk: Buffer): Buffer;
  /**
   * Returns the remaining bytes once the provider has ended. The end marker is included only when
   * the provider's stream was complete.
   */
  end(): Buffer;
  /** Whether the provider's end marker was seen. */
  readonly complete: boolean;
  /** Whether the client was sent a terminal error event; nothing may follow it. */
  readonly failed: boolean;
}

/**
 * How a provider serves a route family. Native: in the client's own dialect and at the client's own
 * path, including ids, after `prefix`; `path` replaces the family's path, such as
 * `/chat/completions`; `pathOf` gives the path of a family whose paths name a model. Translated: at
 * the path that the translator gives. Either is appended to the base URL.
 */
export type RouteSupport =
  | {
      readonly via: 'native';
      readonly prefix: string;
      readonly path?: string;
      readonly pathOf?: (model: string, method: string) => string;
    }
  | {
      readonly via: 'translated';
      /** The two dialects: `anthropic-messages>openai-chat`. */
      readonly name: string;
      readonly translator: Translator;
    };

/** An object that a provider has created and keeps under an id. */
export interface CreatedObject {
  readonly object: 'response' | 'thread.run';
  readonly id: string;
  /** Null when unknown. */
  readonly background: boolean | null;
}

/**
 * Reads usage and the end marker from the bytes of a response stream, without changing or holding
 * them.
 */
export interface StreamTap {
  write(chunk: Buffer): void;
  /** Whether the provider's end marker (`data: [DONE]`, `message_stop`, …) has passed. */
  readonly complete: boolean;
  /** Whether the provider sent an error event. */
  readonly failed: boolean;
  /**
   * Number of choices with a `finish_reason`. Some providers end a stream after the last one,
   * without an end marker.
   */
  readonly finishedChoices: number;
  /**
   * Whether a choice or another part of the output has ended and no other has started, so that the
   * usage may follow.
   */
  readonly usageMayFollow: boolean;
  /** The model named in the response. */
  readonly model: string | null;
  /** The response or run that the events belong to; null when they name none. */
  readonly made: CreatedObject | null;
  /** Returns the total usage once the provider has reported it. */
  usage(): Usage | null;
  /** Returns the usage reported at the start of a stream: its input is final, its output is not. */
  begun(): Usage | null;
}

export interface ProviderError {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  /** The parameter that caused the error. */
  readonly param?: string;
}

/** A provider key that the setup reads from the environment. */
export interface EnvironmentKey {
  /** Variable name, such as `OPENAI_API_KEY`. */
  readonly variable: string;
  /** Slug of the provider that the setup saves; the provider's id when absent. */
  readonly slug?: string;
  /** Name of the saved provider; the provider's name when absent. */
  readonly name?: string;
}

/** Facts that decide the dialect in which a provider takes a call. */
export interface ProviderCallFacts {
  /** The requested model; null when the call names none. */
  readonly model: string | null;
  /** Replaces the provider's address; null for its own. */
  readonly customHost: string | null;
}

/** A provider as it serves a route family in another dialect than its usual one. */
export interface ProviderVariant {
  /** Has the id of the provider, and the route family natively. */
  readonly provider: Provider;
  /**
   * Whether a custom host serves the family below the same base URL. Otherwise the provider itself
   * serves it there, usually by translation.
   */
  readonly atCustomHost: boolean;
}

/**
 * Everything that the product knows about a provider, in one place.
 * A provider is pure: it addresses, signs, translates and reads. It never opens a connection, and
 * reads neither a clock nor the environment.
 */
export interface Provider {
  /** The name used in `x-gw-provider` and in a config's `provider`. */
  readonly id: string;
  readonly name: string;
  /** Other names, which requests may use instead of the id. They are never stored or logged. */
  readonly aliases?: readonly string[];
  /** Fields of an integration of this provider, in addition to `COMMON_FIELDS`. */
  readonly fields?: readonly ConfigurationField[];
  readonly environmentKey?: EnvironmentKey;
  /** `gen_ai.provider.name` of OpenTelemetry's semantic conventions, if it differs from the id. */
  readonly telemetryName?: string;
  /**
   * Returns the base URL with its version segment and no trailing slash:
   * `https://api.openai.com/v1`. A custom host replaces it.
   * `model` is the requested one, for providers with the model in the address; `kind` is the
   * route's, for providers that serve some families elsewhere. Throws `validation_failed` when the
   * configurations give no address.
   */
  baseUrl(credential: Credential, model?: string | null, kind?: RouteKind): string;
  /**
   * Lower-case names of headers that carry a credential of this provider: removed from the caller's
   * request, never returned to it.
   */
  readonly credentialHeaders: readonly string[];
  /** Appends this provider's headers: credential, API version, organisation. */
  sign(headers: HeaderList, credential: Credential): void;
  /**
   * Signs a request that is complete, and appends headers to it; for signatures over the body.
   * `now`: Unix milliseconds. Throws `validation_failed` when the credential lacks what it needs.
   */
  signRequest?(request: SignableRequest, credential: Credential, now: number): void;
  /**
   * How the credential is obtained from a token service; null when it is a key or needs none.
   * Throws `validation_failed` when a field is missing.
   */
  identity?(credential: Credential): CloudIdentity | null;
  /** Whether a call needs a credential. */
  readonly needsCredential: boolean;
  /** Whether each integration needs a `custom_host`, because the provider has no address. */
  readonly selfHosted?: boolean;
  /** The provider's own name for the `Vendor-Beta` header, or null. */
  readonly betaHeader: string | null;
  readonly routes: Readonly<Partial<Record<RouteKind, RouteSupport>>>;
  /**
   * Returns the provider as it serves calls that it takes in another dialect or at another address;
   * undefined for the others.
   */
  forCall?(call: ProviderCallFacts): Provider | undefined;
  /** Replaces the provider for route families that it also serves in another dialect. */
  readonly variants?: Readonly<Partial<Record<RouteKind, ProviderVariant>>>;
  /** Reads the usage of a complete JSON response; null when it has none. */
  usage(body: JsonObject): Usage | null;
  /** Creates a tap for the provider's stream. */
  tap(): StreamTap;
  /** Whether chat and completions streams report usage only with `include_usage`. */
  readonly usageOnRequest?: boolean;
  /** Whether a final assistant message is the start of the response, which continues it. */
  readonly prefill?: boolean;
  /** Reads message, type and code from a provider's error body. */
  error(body: JsonObject): ProviderError | null;
  /**
   * Returns query parameters for every call to this provider, such as Azure's `api-version`. The
   * caller's own take precedence.
   */
  query?(credential: Credential, model?: string | null, kind?: RouteKind): Readonly<Record<string, string>>;
  /**
   * Paths of its own API that name the model that a POST calls on passthrough:
   * `/models/{model}/predictions`. `{model}` is one or more segments.
   */
  readonly modelPaths?: readonly string[];
  /** Provider id in the price catalogue, or null. */
  readonly priceCatalogueId: string | null;
  /** Price of a batch in millionths of the usual price. Absent: the usual price, or no batches. */
  readonly batchMillionths?: number;
  /** Serves responses in the process instead of calling an address; only `sandbox` has it. */
  readonly local?: LocalProvider;
}

export interface LocalChunk {
  readonly waitMs: number;
  readonly data: Buffer;
}

/** A scripted response, which the gateway plays through the same path as a provider's bytes. */
export interface LocalResponse {
  readonly status: number;
  readonly headers: HeaderList;
  /** Milliseconds to wait before the status is sent. */
  readonly delayMs: number;
  /**
   * Chunks, each sent `waitMs` after the previous one and created when it is due. Iterated once.
   */
  readonly chunks: Iterable<LocalChunk>;
  /** Whether the connection breaks after the last chunk instead of ending. */
  readonly cut: boolean;
}

export interface LocalProvider {
  respond(request: {
    readonly method: string;
    readonly path: string;
    readonly body: Buffer;
    readonly metadata: Readonly<Record<string, string>>;
  }): LocalResponse;
}

export const defineProvider = (provider: Provider): Provider => Object.freeze(provider);
