import type { BodyBounds } from '@gw/web';
import { addRouteConfig } from './route-config';

/** Deeper than any field takes, and shallow enough for everything that walks a value by recursion. */
const LEVELS_MAX = 128;

/** What a route takes unless it says otherwise: the largest lists of its own members, and free data of a few thousand values. */
export const BODY: BodyBounds = { bytes: 1_048_576, members: 25_000, values: 50_000, levels: LEVELS_MAX };

/** What a route takes of callers without a credential: one small form. */
export const PUBLIC_BODY: BodyBounds = { bytes: 16_384, members: 200, values: 200, levels: LEVELS_MAX };

/** Logs that callers bring, which hold bodies themselves. */
export const LOGS_BODY: BodyBounds = {
  bytes: 10 * 1_048_576,
  members: 50_000,
  values: 100_000,
  levels: LEVELS_MAX,
};

/** Spans of traces: small objects, each of a few members. Values of attributes may be nested, and are cut. */
export const SPANS_BODY: BodyBounds = { bytes: 1_048_576, members: 50_000, values: 75_000, levels: 1_000 };

/** For a route that needs more than `BODY`. */
export const TakesBody = (bodyBounds: BodyBounds): MethodDecorator => addRouteConfig({ bodyBounds });
