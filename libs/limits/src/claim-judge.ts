import {
  ADMITTED,
  CROWDED_MS,
  EXTRA_DIVISOR,
  UNDECIDED,
  type Claim,
  type CounterReply,
  type CounterStatement,
} from './counter-store';

export interface Holder {
  consumed: number;
  hold: number;
  expiresAt: number;
  sequence: number;
}

export interface Counter {
  period: number;
  used: number;
  /** Amount used and held in the previous window when it ended. */
  previous: number;
  /** The part of `used` that price corrections added. */
  adjusted: number;
  /**
   * Unix milliseconds: when a process was last refused that held less than its share of
   * concurrency.
   */
  crowdedAt: number;
  forgetAt: number;
  readonly holders: Map<string, Holder>;
}

/** A counter as one round trip sees it. */
export interface View {
  readonly status: CounterReply['status'];
  readonly counter: Counter | null;
  readonly mine: Holder | null;
  readonly used: number;
  held: number;
  readonly holders: number;
  readonly nowMs: number;
}

/**
 * Decides a claim and, when it is admitted, adds its amounts to the holds in `views`. Returns
 * `ADMITTED`, `UNDECIDED`, or the index of the statement whose counter refused.
 */
export function judge(claim: Claim, statements: readonly CounterStatement[], views: readonly View[]): number {
  for (const [at, index] of claim.counters.entries()) {
    const statement = statements[index];
    const view = views[index];
    if (!statement || view?.status !== 'ok') return UNDECIDED;
    if (!admits(statement, view, claim.amounts[at] ?? 0)) return index;
  }
  for (const [at, index] of claim.counters.entries()) {
    const view = views[index];
    const amount = claim.amounts[at] ?? 0;
    if (!view?.mine) continue;
    view.mine.hold += amount;
    view.held += amount;
  }
  return ADMITTED;
}

function admits(statement: CounterStatement, view: View, amount: number): boolean {
  if (!fits(statement, view, amount)) {
    noteCrowd(statement, view);
    return false;
  }
  return !isCrowded(statement, view) || (view.mine?.hold ?? 0) + amount <= shareOf(statement, view);
}

const shareOf = ({ value }: CounterStatement, { holders }: View): number => Math.floor(value / holders);

export const isCrowded = ({ kind }: CounterStatement, { counter, nowMs }: View): boolean =>
  kind === 'open' && counter !== null && nowMs - counter.crowdedAt < CROWDED_MS;

function noteCrowd(statement: CounterStatement, view: View): void {
  const { counter, mine, nowMs } = view;
  if (statement.kind !== 'open' || counter === null || mine === null) return;
  if (mine.hold < shareOf(statement, view)) counter.crowdedAt = nowMs;
}

function fits({ value, strict }: CounterStatement, { used, held }: View, amount: number): boolean {
  const room = value - used - held;
  return room > 0 && (!strict || room >= amount);
}

/**
 * Returns the extra amount that a process may keep for its next requests while headroom is large.
 */
export function extraOf(statement: CounterStatement, view: View, crowded: boolean, hold: number): number {
  const { value, want, least } = statement;
  const room = value - view.used - view.held;
  const toShare = crowded ? shareOf(statement, view) - hold : Infinity;
  const most = Math.max(0, Math.min(want, Math.floor(room / EXTRA_DIVISOR), toShare));
  return most < least ? 0 : most;
}
