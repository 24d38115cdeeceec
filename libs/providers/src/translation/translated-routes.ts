import type { RouteKind } from '@gw/contracts';
import { translationName, type Dialect } from '@gw/dialects';
import type { RouteSupport, Translator } from '../provider';
import { hubTranslator, tokensTranslator, type HubOptions } from './hub-translator';

/** The route families that clients of each dialect call. */
export const CLIENT_ROUTES: ReadonlyMap<Dialect, { readonly call: RouteKind; readonly tokens?: RouteKind }> =
  new Map([
    ['openai-chat', { call: 'chat.completions' }],
    ['anthropic-messages', { call: 'messages', tokens: 'messages.count_tokens' }],
    ['openai-responses', { call: 'responses' }],
    ['gemini', { call: 'gemini.generate', tokens: 'gemini.count' }],
  ]);

/**
 * Returns a route for the clients of each dialect but the provider's own: it translates their calls
 * to the provider's dialect. Calls that count tokens have one where both dialects count them.
 */
export function translatedRoutes(
  options: Omit<HubOptions, 'from'>,
): Readonly<Partial<Record<RouteKind, RouteSupport>>> {
  const { to } = options;
  const routes: Partial<Record<RouteKind, RouteSupport>> = {};
  for (const [from, { call, tokens }] of CLIENT_ROUTES) {
    if (from === to) continue;
    const support = (translator: Translator): RouteSupport => ({
      via: 'translated',
      name: translationName(from, to),
      translator,
    });
    routes[call] = support(hubTranslator({ ...options, from }));
    const counter = tokens === undefined ? null : tokensTranslator({ ...options, from });
    if (tokens !== undefined && counter !== null) routes[tokens] = support(counter);
  }
  return routes;
}
