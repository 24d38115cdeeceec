import type { RouteKind } from '@gw/contracts';
import type { ProviderTraits } from '@gw/dialects';
import type { Credential, HeaderList, Provider, RouteSupport } from '../../provider';
import { translatedGeminiRoutes } from '../../translation/gemini-routes';
import { translatedRoutes } from '../../translation/translated-routes';
import { openAiError } from './error';
import { openAiTap } from './tap';
import { openAiUsage } from './usage';

export type OpenAiRoute = Exclude<
  RouteKind,
  'messages' | 'messages.count_tokens' | 'passthrough' | `gemini.${string}`
>;

export const AUDIO_ROUTES = ['audio.speech', 'audio.transcriptions', 'audio.translations'] as const;

/**
 * Returns the table of native routes, each at OpenAI's own path after `prefix`. Passthrough is
 * always included, without `prefix`: its clients write the provider's own path.
 */
export function openAiRoutes(
  routes: readonly OpenAiRoute[],
  prefix = '',
): Readonly<Partial<Record<RouteKind, RouteSupport>>> {
  const table: Partial<Record<RouteKind, RouteSupport>> = { passthrough: { via: 'native', prefix: '' } };
  for (const route of routes) table[route] = { via: 'native', prefix };
  return table;
}

/**
 * Adds the routes of other dialects to a provider, where it does not serve them itself. Clients of
 * the Messages API, the Responses API and Gemini reach its chat completions, if it has native ones.
 * Gemini clients reach its embeddings and its native list of models, whether or not it has chat
 * completions.
 */
export function withTranslatedRoutes(
  provider: string,
  routes: Readonly<Partial<Record<RouteKind, RouteSupport>>>,
  traits: ProviderTraits = {},
): Readonly<Partial<Record<RouteKind, RouteSupport>>> {
  const gemini = translatedGeminiRoutes(provider, routes);
  const chat = routes['chat.completions'];
  if (chat?.via !== 'native') return { ...gemini, ...routes };
  const path = chat.prefix + (chat.path ?? '/chat/completions');
  return { ...translatedRoutes({ provider, to: 'openai-chat', traits, path }), ...gemini, ...routes };
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
