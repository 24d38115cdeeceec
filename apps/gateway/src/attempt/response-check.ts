import { routeFamily, type RouteKind } from '@gw/contracts';
import type { JsonObject } from '@gw/providers';
import { RESPONSE_READ_WHOLE, exceededBy } from '../bodies/read-whole';

/** Whether a successful response of the route is JSON or an event stream. */
export const respondsWithJson = (route: RouteKind): boolean => routeFamily(route).answersWithJson === true;

/**
 * Returns why the body of a 2xx response is not a success, as a predicate to follow "the response";
 * null when it is a success.
 */
export function faultOfJson(body: Buffer): string | null {
  const bound = exceededBy(body, RESPONSE_READ_WHOLE);
  if (bound !== null) return `has more than ${bound}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return 'is not valid JSON';
  }
  return hasError(parsed) ? 'holds an error' : null;
}

export function hasError(parsed: unknown): boolean {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false;
  const { error } = parsed as JsonObject;
  return error !== undefined && error !== null && error !== false;
}
