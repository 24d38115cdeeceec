import { text } from '../openapi/schema';
import { ALWAYS, route, type RouteRow } from '../route-rows';

/** Sessions over WebSocket. */
export const realtime: readonly RouteRow[] = [
  route('GET', '/realtime', 'realtime', 'realtime', 'Open a realtime session', {
    ...ALWAYS,
    upgrades: true,
    query: { model: text },
  }),
];
