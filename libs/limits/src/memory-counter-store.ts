import {
  FORGET_HOLDER_MS,
  lifeOf,
  SKEW_MAX_MS,
  type CounterReply,
  type CounterReading,
  type CounterStatement,
  type CounterStore,
  type CounterRoundTrip,
  type CounterRoundTripReply,
  type DurableBalance,
} from './counter-store';
import { extraOf, isCrowded, judge, type Counter, type Holder, type View } from './claim-judge';
import { processOf } from './holder-registry';

const UNKNOWN: View = {
  status: 'unknown',
  counter: null,
  mine: null,
  used: 0,
  held: 0,
  holders: 1,
  nowMs: 0,
};
/** For a counter whose first period begins too far in the future. */
const AHEAD: View = { ...UNKNOWN, status: 'clock' };
const STALE: View = { ...UNKNOWN, status: 'stale' };

/**
 * Keeps the counters of this process, at most `capacity` of them.
 * At the cap it drops expired counters first, then the least recently used ones, those with holds
 * last. A dropped budget is rebuilt from the durable record; a rate window starts again.
 */
export class MemoryCounterStore implements CounterStore {
  /** Least recently used first. */
  private readonly counters = new Map<string, Counter>();
  private newest = 0;

  constructor(
    /** Unix milliseconds. When it goes back, the store's time stops. */
    private readonly clock: () => number = Date.now,
    private readonly capacity = 200_000,
  ) {}

  exchange({
    tenant,
    sequence,
    leaseMs,
    statements,
    claims,
    gone = [],
  }: CounterRoundTrip): CounterRoundTripReply {
    const nowMs = this.now();
    const dead = new Set(gone);
    const views = statements.map((statement) =>
      this.applied(`${tenant}:${statement.key}`, statement, { sequence, leaseMs, nowMs, dead }),
    );
    const judged = claims.map((claim) => judge(claim, statements, views));
    const counters = views.map((view, index) => responseOf(view, statements[index]));
    return { nowMs, counters, claims: judged };
  }

  read(tenant: string, key: string): CounterReading | null {
    const counter = this.counters.get(`${tenant}:${key}`);
    if (!counter) return null;
    const nowMs = this.now();
    const { held } = liveHolds(counter, nowMs);
    const holders = [...counter.holders].map(([holder, { consumed, expiresAt }]) => ({
      holder,
      consumed,
      silentMs: Math.max(0, nowMs - expiresAt),
    }));
    return { period: counter.period, used: counter.used, held, holders };
  }

  correct(tenant: string, key: string, truth: DurableBalance): void {
    const counter = this.counters.get(`${tenant}:${key}`);
    if (counter?.period !== truth.period) return;
    counter.used = merged(counter, truth, this.now());
    counter.adjusted = truth.adjusted ?? 0;
  }

  reset(tenant: string, key: string, atMs: number): void {
    const counter = this.counters.get(`${tenant}:${key}`);
    if (counter && counter.period < atMs) roll(counter, atMs, 0);
  }

  private now(): number {
    this.newest = Math.max(this.newest, Math.floor(this.clock()));
    return this.newest;
  }

  /** Applies a statement to its counter, and returns the counter as the round trip sees it. */
  private applied(
    key: string,
    statement: CounterStatement,
    by: { sequence: number; leaseMs: number; nowMs: number; dead: ReadonlySet<string> },
  ): View {
    const { nowMs } = by;
    const current = currentPeriod(statement, nowMs);
    if (current === null) return AHEAD;
    const counter = this.counters.get(key) ?? this.create(statement, current, nowMs);
    if (counter === null) return UNKNOWN;
    this.counters.delete(key);
    this.counters.set(key, counter);
    if (counter.period < current) {
      const follows = statement.kind === 'sliding' && current - counter.period === statement.lengthMs;
      roll(counter, current, follows ? counter.used + liveHolds(counter, nowMs).held : 0);
    }
    counter.forgetAt = nowMs + lifeOf(statement);
    const isLost = statement.known && statement.kind === 'open' && !counter.holders.has(statement.holder);
    const mine = take(counter, statement, by);
    if (mine === null) return STALE;
    if (by.dead.size > 0) release(counter, by.dead, nowMs);
    const { held, holders } = liveHolds(counter, nowMs);
    const used = usedNow(counter, statement, nowMs);
    return { status: isLost ? 'lost' : 'ok', counter, mine, used, held, holders, nowMs };
  }

  private create(statement: CounterStatement, period: number, nowMs: number): Counter | null {
    const { seed } = statement;
    if (statement.kind === 'period' && seed === null) return null;
    if (this.counters.size >= this.capacity) this.makeRoom(nowMs);
    const counts = seed !== null && seed.period >= period;
    const counter: Counter = {
      period: Math.max(period, seed?.period ?? 0),
      used: counts ? seed.used : 0,
      previous: 0,
      adjusted: counts ? (seed.adjusted ?? 0) : 0,
      crowdedAt: -Infinity,
      forgetAt: 0,
      holders: new Map(),
    };
    for (const [id, consumed] of counts ? seed.holders : []) {
      counter.holders.set(id, recordedHolder(consumed, nowMs));
    }
    return counter;
  }

  private makeRoom(nowMs: number): void {
    const target = Math.floor(this.capacity * 0.9);
    for (const [key, counter] of this.counters) if (counter.forgetAt <= nowMs) this.counters.delete(key);
    for (const [key, counter] of this.counters) {
      if (this.counters.size <= target) break;
      if (liveHolds(counter, nowMs).held === 0) this.counters.delete(key);
    }
    for (const key of this.counters.keys()) {
      if (this.counters.size <= target) break;
      this.counters.delete(key);
    }
  }
}

/** Frees what dead processes hold. */
function release(counter: Counter, dead: ReadonlySet<string>, nowMs: number): void {
  for (const [id, holder] of counter.holders) {
    if (holder.expiresAt <= nowMs || !dead.has(processOf(id))) continue;
    holder.hold = 0;
    holder.expiresAt = nowMs;
  }
}

/** Returns null when every boundary lies further in the future than clocks may differ. */
function currentPeriod(
  { kind, lengthMs, originMs, boundaries }: CounterStatement,
  nowMs: number,
): number | null {
  if (kind === 'open') return 0;
  if (kind !== 'period') return nowMs - ((nowMs - originMs) % lengthMs);
  const [first = 0] = boundaries;
  return (
    boundaries.findLast((boundary) => boundary <= nowMs) ?? (first <= nowMs + SKEW_MAX_MS ? first : null)
  );
}

function roll(counter: Counter, period: number, previous: number): void {
  counter.period = period;
  counter.used = 0;
  counter.previous = previous;
  counter.adjusted = 0;
  counter.holders.clear();
}

/** Returns a holder from the durable record that has stated nothing yet. */
const recordedHolder = (consumed: number, nowMs: number): Holder => ({
  consumed,
  hold: 0,
  expiresAt: nowMs,
  sequence: 0,
});

/**
 * Raises the holders' amounts to the recorded ones and returns the total usage: the larger of the
 * stated and the recorded amount per holder, and likewise for all unlisted holders together.
 */
function merged(counter: Counter, truth: DurableBalance, nowMs: number): number {
  const { used, holders, former = [], adjusted = 0 } = truth;
  const recorded = new Map(holders);
  const before = new Map(former);
  const ended = new Set(truth.ended);
  let stated = counter.used - counter.adjusted;
  let rest = used - adjusted;
  let sum = 0;
  for (const [id, holder] of counter.holders) {
    const known = recorded.get(id) ?? before.get(id) ?? 0;
    stated -= holder.consumed;
    rest -= known;
    holder.consumed = ended.has(id) ? known : Math.max(holder.consumed, known);
    sum += holder.consumed;
    recorded.delete(id);
  }
  for (const [id, consumed] of recorded) {
    counter.holders.set(id, recordedHolder(consumed, nowMs));
    rest -= consumed;
    sum += consumed;
  }
  return Math.max(stated, rest) + sum + adjusted;
}

/** Applies a statement once; returns null when the process has already stated something newer. */
function take(
  counter: Counter,
  statement: CounterStatement,
  { sequence, leaseMs, nowMs }: { sequence: number; leaseMs: number; nowMs: number },
): Holder | null {
  const { holder: id } = statement;
  const known = counter.holders.get(id);
  const mine = known ?? { consumed: 0, hold: 0, expiresAt: 0, sequence: 0 };
  if (known && known.sequence >= sequence) return null;
  counter.holders.set(id, mine);
  mine.sequence = sequence;
  mine.expiresAt = nowMs + leaseMs;
  if (statement.period !== counter.period) {
    mine.hold = 0;
    return mine;
  }
  counter.used += Math.max(0, statement.consumed - mine.consumed);
  mine.consumed = Math.max(mine.consumed, statement.consumed);
  mine.hold = statement.hold;
  return mine;
}

/** Sums the holds of valid leases. Forgets holders that have been silent for `FORGET_HOLDER_MS`. */
function liveHolds(counter: Counter, nowMs: number): { held: number; holders: number } {
  let held = 0;
  let holders = 0;
  for (const [id, holder] of counter.holders) {
    if (holder.expiresAt > nowMs) {
      held += holder.hold;
      holders += 1;
    } else if (holder.expiresAt + FORGET_HOLDER_MS <= nowMs) counter.holders.delete(id);
  }
  return { held, holders: Math.max(1, holders) };
}

function usedNow(
  { used, previous, period }: Counter,
  { kind, lengthMs }: CounterStatement,
  nowMs: number,
): number {
  if (kind !== 'sliding' || previous === 0) return used;
  return used + Math.floor((previous * (period + lengthMs - nowMs)) / lengthMs);
}

function responseOf(view: View, statement: CounterStatement | undefined): CounterReply {
  const { status, counter, mine, used } = view;
  if (!counter || !mine || !statement) {
    return { status, period: -1, used: 0, held: 0, extra: 0, consumed: 0, holders: 1, crowded: false };
  }
  const crowded = isCrowded(statement, view);
  const extra = status === 'ok' ? extraOf(statement, view, crowded, mine.hold) : 0;
  mine.hold += extra;
  view.held += extra;
  return {
    status,
    period: counter.period,
    used,
    held: view.held,
    extra,
    consumed: mine.consumed,
    holders: view.holders,
    crowded,
  };
}
