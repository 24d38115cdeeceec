import { ANTHROPIC, route, type RouteRow } from '../route-rows';

/** Anthropic’s API for messages. */
export const messages: readonly RouteRow[] = [
  route('POST', '/messages', 'messages', 'messages', 'Create a message, in Anthropic’s dialect', {
    ...ANTHROPIC,
    streams: true,
  }),
  route(
    'POST',
    '/messages/count_tokens',
    'messages.count_tokens',
    'messages.count_tokens',
    'Count the tokens of a message, in Anthropic’s dialect',
    { ...ANTHROPIC },
  ),
];
