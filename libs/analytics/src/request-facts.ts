import { isObject } from '@gw/kernel';
import type { RequestType } from './analytics-query';

/** Facts of a request that analytics derive from its log record. */
export interface DerivedFacts {
  readonly request_type: RequestType;
  readonly prompt_slug: string | null;
  /** Whether another target was called before the one that responded. */
  readonly fell_back: boolean;
  /** Whether a second call was started while the first one was in flight. */
  readonly hedged: boolean;
  /** Cost that the cache saved, in 1e-8 USD; null when there was none or it is not known. */
  readonly saved_cost: number | null;
}

/** Fields of a log record from which the facts are derived. */
export interface RecordedRequest {
  readonly route: string;
  readonly decision: {
    readonly prompt?: { readonly slug: string };
    readonly attempts: readonly RecordedAttempt[];
    readonly cache: { readonly savedCost?: number };
  };
}

interface RecordedAttempt {
  readonly target: string;
  readonly end: string;
  readonly hedge?: string;
}

/**
 * Derives the facts. Records come from gateways of other versions, so a missing member must never
 * prevent a record from being stored.
 */
export function derivedFacts({ route, decision }: RecordedRequest): DerivedFacts {
  const known: Partial<RecordedRequest['decision']> = isObject(decision) ? decision : {};
  const { prompt, cache } = known;
  const listed: readonly RecordedAttempt[] = Array.isArray(known.attempts) ? known.attempts : [];
  const attempts = listed.filter((each) => isObject(each));
  const saved: unknown = cache?.savedCost;
  const slug: unknown = prompt?.slug;
  return {
    request_type: typeOf(route),
    prompt_slug: typeof slug === 'string' ? slug : null,
    fell_back: fellBack(attempts),
    hedged: attempts.some(({ hedge }) => hedge === 'second'),
    saved_cost: Number.isSafeInteger(saved) ? (saved as number) : null,
  };
}

function typeOf(route: unknown): RequestType {
  if (typeof route !== 'string') return 'llm';
  if (/^mcp(?:\.|$)/.test(route)) return 'mcp';
  return /^(?:a2a|agents)(?:\.|$)/.test(route) ? 'a2a' : 'llm';
}

/**
 * Returns whether another target failed before the one that responded. A skipped target, or one
 * that lost a hedge, did not fail.
 */
function fellBack(attempts: readonly RecordedAttempt[]): boolean {
  const last = attempts.at(-1);
  if (last?.end !== 'answered' && last?.end !== 'status') return false;
  return attempts.some(
    ({ target, end }) => target !== last.target && end !== 'skipped' && end !== 'cancelled',
  );
}
