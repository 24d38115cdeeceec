import type { JsonObject, RouteKind } from '@gw/providers';
import { ANSWER_READ_WHOLE, exceededBy } from '../../http/read-whole';

/** Routes whose successes are JSON, or a stream of events. */
const JSON_ROUTES: ReadonlySet<RouteKind> = new Set([
  'chat.completions',
  'completions',
  'embeddings',
  'moderations',
  'images.generations',
  'images.edits',
  'images.variations',
  'rerank',
  'ocr',
  'responses',
  'messages',
  'messages.count_tokens',
]);

export const answersWithJson = (route: RouteKind): boolean => JSON_ROUTES.has(route);

/** What keeps the body of a 2xx answer from being a success, or null. It goes behind "the answer". */
export function faultOfJson(body: Buffer): string | null {
  const bound = exceededBy(body, ANSWER_READ_WHOLE);
  if (bound !== null) return `has more than ${bound}`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return 'is no valid JSON';
  }
  return hasError(parsed) ? 'holds an error' : null;
}

export function hasError(parsed: unknown): boolean {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false;
  const { error } = parsed as JsonObject;
  return error !== undefined && error !== null && error !== false;
}
