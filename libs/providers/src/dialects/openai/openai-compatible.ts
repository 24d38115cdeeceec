import type { RouteKind } from '@gw/contracts';
import {
  defineProvider,
  type Credential,
  type HeaderList,
  type Provider,
  type RouteSupport,
} from '../../provider';
import { openAiError } from './error';
import { openAiTap } from './tap';
import { openAiUsage } from './usage';

export type OpenAiRoute = Exclude<RouteKind, 'messages' | 'messages.count_tokens' | 'passthrough'>;

/** The facts of a provider that may differ without code. */
type Facts = Pick<
  Provider,
  | 'id'
  | 'name'
  | 'fields'
  | 'environmentKey'
  | 'telemetryName'
  | 'priceCatalogueId'
  | 'batchMillionths'
  | 'usageOnRequest'
>;

export interface OpenAiCompatibleOptions extends Facts {
  /** With its version segment and without a trailing slash. */
  readonly baseUrl: string;
  /** Route families that the provider serves in OpenAI's shape. */
  readonly routes: readonly OpenAiRoute[];
}

export const AUDIO_ROUTES = ['audio.speech', 'audio.transcriptions', 'audio.translations'] as const;

/**
 * Returns the table of native routes, each at OpenAI's own path after `prefix`; passthrough is
 * always included.
 */
export function openAiRoutes(
  routes: readonly OpenAiRoute[],
  prefix = '',
): Readonly<Partial<Record<RouteKind, RouteSupport>>> {
  const table: Partial<Record<RouteKind, RouteSupport>> = { passthrough: { via: 'native', prefix: '' } };
  for (const route of routes) table[route] = { via: 'native', prefix };
  return table;
}

/** Appends `authorization: Bearer <key>` if there is a key. */
export function signBearer(headers: HeaderList, credential: Credential): void {
  if (credential.apiKey !== null) headers.push('authorization', `Bearer ${credential.apiKey}`);
}

/** The common part of every provider that uses OpenAI's dialect with a bearer key. */
export const openAiSpeaker = {
  credentialHeaders: ['authorization'],
  needsCredential: true,
  betaHeader: null,
  sign: signBearer,
  usage: openAiUsage,
  tap: openAiTap,
  error: openAiError,
} as const satisfies Partial<Provider>;

/** Defines a provider that differs from OpenAI only in its address and its routes. */
export const openAiCompatible = ({ baseUrl, routes, ...facts }: OpenAiCompatibleOptions): Provider =>
  defineProvider({ ...openAiSpeaker, ...facts, baseUrl: () => baseUrl, routes: openAiRoutes(routes) });
