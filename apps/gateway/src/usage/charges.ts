import { routeFamily, type ChargeLine } from '@gw/contracts';
import { isBudget, type Reservation } from '@gw/limits';
import { cacheUseOf } from '../cache/cache-use';
import { outcomeOf } from '../core/outcome';
import type { RequestContext } from '../core/request-context';
import { isSoldPath } from '../routes/path-call';
import { callsModel } from './estimates';

/** Returns those of the two reservations that include a budget. */
export function budgetsOf(one: Reservation | null, other: Reservation | null): readonly Reservation[] {
  const held: Reservation[] = [];
  if (one !== null && one.buckets.some(isBudget)) held.push(one);
  if (other !== null && other.buckets.some(isBudget)) held.push(other);
  return held;
}

/**
 * Returns the charge line of an attempt, by default of the latest one: primary, retry, fallback or
 * hedge; `guardrail` for a call of a guardrail check.
 */
export function lineOf({ attempts, madeFor }: RequestContext, attempt = attempts.records.at(-1)): ChargeLine {
  if (madeFor !== null) return 'guardrail';
  if (attempt === undefined) return 'primary';
  if (attempt.hedge === 'second') return 'hedge';
  if (attempts.records.length === (attempt.hedge === undefined ? 1 : 2)) return 'primary';
  return attempt.retry > 0 ? 'retry' : 'fallback';
}

/**
 * Whether a request whose usage was not reported has a cost nevertheless, which must then be
 * estimated.
 */
export function isUncounted(context: RequestContext): boolean {
  const { response, route, upgrade } = context;
  // A session is charged part by part.
  if (!callsModel(context) || upgrade !== null) return false;
  // The client disconnected before the response began, but the provider was called, unless the
  // response was stored or shared.
  if (response === null) return cacheUseOf(context)?.isFree !== true;
  if (response.status >= 400) return false;
  const outcome = outcomeOf(context.reply);
  return (
    outcome === 'interrupted' ||
    outcome === 'client_closed' ||
    routeFamily(route.kind).isSoldByUse === true ||
    route.call !== null ||
    isSoldPath(context.url)
  );
}
