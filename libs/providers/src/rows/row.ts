import { ROUTE_FAMILIES, type RouteKind } from '@gw/contracts';
import type { ProviderTraits } from '@gw/dialects';
import type { EnvironmentKey } from '../provider';
import type { FamilyForms } from '../translation/family-routes';

/** Dialects of providers that are described by a row, besides OpenAI's. */
export type RowDialect = 'cohere-v2' | 'mistral' | 'anthropic-messages';

/** A header that carries the key; `{key}` in the format is replaced by it. */
export interface KeyHeader {
  readonly header: string;
  /** Default: the key alone. */
  readonly format?: string;
  /** Whether calls without a key are sent. */
  readonly optional?: boolean;
}

/** Addresses of one region; without `messages`, the Messages API is where the row has it. */
export interface RegionBases {
  readonly base: string;
  readonly messages?: string;
}

/** Options of a row, all optional. See `docs/providers.md`. */
export interface RowOptions {
  /** Other names, separated by spaces: accepted in requests, never written. */
  readonly aliases?: string;
  /**
   * How the key is sent; default: `bearer`. `optional`: as a bearer token if there is a key.
   * `none`: never.
   */
  readonly auth?: 'bearer' | 'optional' | 'none' | KeyHeader;
  /**
   * Base URL of the Messages API, if it differs from the row's. A custom host replaces the row's
   * base only; the Messages API is then reached by translation.
   */
  readonly messages?: string;
  /** How the Messages API gets the key, if it differs. */
  readonly messagesAuth?: KeyHeader;
  /**
   * The provider's dialect, if it is not OpenAI's: calls of all clients are translated to it.
   * `serves` then has the other families.
   */
  readonly dialect?: RowDialect;
  /**
   * Name of the provider's service at AWS, for which calls are signed unless the credential is a
   * key.
   */
  readonly awsService?: string;
  /** The dialect of the provider's own API, at custom hosts that end in `/api`. */
  readonly ownApi?: { readonly dialect: 'ollama'; readonly forms: FamilyForms };
  /** Wire formats of the families that the provider takes in a format of its own. */
  readonly forms?: FamilyForms;
  /** Base URLs that the setting `provider_region` selects instead of the row's. */
  readonly regions?: Readonly<Record<string, RegionBases>>;
  /** Base URLs of single route families. */
  readonly bases?: Readonly<Partial<Record<RouteKind, string>>>;
  /**
   * Sent with each call. A header with a setting that has neither a value nor a default is left
   * out.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Paths of the provider's own API that name the model that a POST calls, separated by spaces:
   * `/models/{model}/predictions`. `{model}` is one or more segments.
   */
  readonly modelPaths?: string;
  /** Sent with each call, unless the caller sends the parameter. */
  readonly query?: Readonly<Record<string, string>>;
  /** Allowed values of settings. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Member that limits the output; default: `max_tokens`. */
  readonly maxTokens?: 'max_completion_tokens';
  /** Members that the provider does not know, separated by spaces. */
  readonly drop?: string;
  readonly clamp?: ProviderTraits['clamp'];
  readonly traits?: ProviderTraits;
  /** `always`: streams report usage without a request for it. */
  readonly usage?: 'always';
  /** Price catalogue; default: none. */
  readonly prices?: string;
  /** Batches cost half. */
  readonly halfPriceBatches?: true;
  readonly environmentKey?: EnvironmentKey;
  readonly telemetryName?: string;
}

/**
 * A provider of OpenAI's dialect as data: its row is everything that the product knows about it.
 */
export interface ProviderRow extends RowOptions {
  readonly id: string;
  readonly name: string;
  /**
   * Base URL with its version segment and without a trailing slash. `{name}` is a setting: one
   * label of a host name or one path segment. Null: the server is self-hosted, and an integration
   * must have a `custom_host`.
   */
  readonly base: string | null;
  /**
   * Route families, by the words of `ROUTE_WORDS`, separated by spaces. `word@/v1` adds a prefix to
   * OpenAI's path, `word=/path` replaces it.
   */
  readonly serves: string;
}

export const row = (
  id: string,
  name: string,
  base: string | null,
  serves: string,
  options: RowOptions = {},
): ProviderRow => ({ id, name, base, serves, ...options });

/** Families whose word is not the last part of their name. */
const WORDS: Readonly<Partial<Record<RouteKind, string>>> = {
  'chat.completions': 'chat',
  'images.generations': 'images',
};

/**
 * Route families by their word in rows: `chat`, `images`, or the last part of the name (`speech`).
 */
export const ROUTE_WORDS: ReadonlyMap<string, RouteKind> = new Map(
  (Object.keys(ROUTE_FAMILIES) as RouteKind[]).map((kind) => [
    WORDS[kind] ?? kind.slice(kind.lastIndexOf('.') + 1),
    kind,
  ]),
);

export const wordsOf = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '');
