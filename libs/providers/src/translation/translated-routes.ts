import type { RouteKind } from '@gw/contracts';
import { translationName, type Dialect } from '@gw/dialects';
import type { RouteSupport } from '../provider';
import { hubTranslator, type HubOptions } from './hub-translator';

/** The route family that clients of each dialect call. */
const CLIENT_ROUTES: ReadonlyMap<Dialect, RouteKind> = new Map([
  ['openai-chat', 'chat.completions'],
  ['anthropic-messages', 'messages'],
  ['openai-responses', 'responses'],
]);

/**
 * Returns a route for the clients of each dialect but the provider's own: it translates their calls
 * to the provider's dialect.
 */
export function translatedRoutes(
  options: Omit<HubOptions, 'from'>,
): Readonly<Partial<Record<RouteKind, RouteSupport>>> {
  const { to } = options;
  const others = [...CLIENT_ROUTES].filter(([from]) => from !== to);
  const routes = others.map(([from, kind]): [RouteKind, RouteSupport] => [
    kind,
    {
      via: 'translated',
      name: translationName(from, to),
      translator: hubTranslator({ ...options, from }),
    },
  ]);
  return Object.fromEntries(routes);
}
