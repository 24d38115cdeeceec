import type { LogRow } from '../../../live';
import { logs } from '../../../messages/en/logs';
import type { Tone } from '../../../ui/primitives';

/** Notable fact about a request besides its status, in a word or two. */
export interface Happened {
  readonly tone: Tone;
  readonly word: string;
  readonly title?: string;
}

const text = logs.happened;

/** Status of a response that a guardrail denied. */
const DENIED = 446;
const MARKED = 246;

/** Returns the badge of a row; null for an ordinary request. */
export function happenedIn(row: LogRow): Happened | null {
  return failureOf(row) ?? routeOf(row) ?? priceOf(row);
}

function failureOf(row: LogRow): Happened | null {
  const { outcome, error_type: error, response_status_code: status } = row;
  if (status === DENIED) return { tone: 'violet', word: text.guardrail };
  if (status === MARKED) return { tone: 'violet', word: text.marked };
  if (outcome === 'client_closed') return { tone: 'warn', word: text.clientLeft };
  if (outcome === 'interrupted') return { tone: 'danger', word: text.interrupted };
  if (error === 'rate_limited') return { tone: 'warn', word: text.rateLimit };
  if (error === 'budget_exhausted') return { tone: 'warn', word: text.budget };
  if (outcome === 'ok') return null;
  const tone = outcome === 'denied' ? 'warn' : 'danger';
  return {
    tone,
    word: error === null ? text.outcome(outcome) : text.errorType(error),
    title: error ?? outcome,
  };
}

function routeOf({
  cache_status: cache,
  fell_back: fellBack,
  hedged,
  retries,
  target_path: target,
}: LogRow): Happened | null {
  if (cache === 'HIT') return { tone: 'ok', word: text.cacheHit };
  if (cache === 'SEMANTIC HIT') return { tone: 'ok', word: text.semanticHit };
  if (fellBack) return { tone: 'info', word: text.fallback, title: text.fellBack };
  if (hedged) return { tone: 'info', word: text.hedged, title: text.hedgedHint };
  if (retries > 0) return { tone: 'info', word: text.retried(retries) };
  const place = laterTarget(target);
  return place === null ? null : { tone: 'outline', word: place, title: text.target(place) };
}

function priceOf({ priced }: LogRow): Happened | null {
  if (priced === 'unpriced') return { tone: 'outline', word: text.unpriced };
  return priced === 'estimated' ? { tone: 'outline', word: text.estimated } : null;
}

/**
 * Returns a target such as `targets[1]` that is not the first of its list; null for the first. It
 * was chosen by weight or condition, or after a failure.
 */
function laterTarget(path: string | null): string | null {
  if (path === null || !/\[[1-9]\d*\]/.test(path)) return null;
  return path.replace(/^config\./, '');
}

/** Word shown instead of the status when the client did not receive the whole response. */
export const cutWord = ({ outcome }: Pick<LogRow, 'outcome'>): string | undefined =>
  outcome === 'interrupted' || outcome === 'client_closed' ? text.cut : undefined;
