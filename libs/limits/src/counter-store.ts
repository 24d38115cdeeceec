import { DAY_MS } from '@gw/kernel';
import type { CounterWindow } from './bucket';

/**
 * One process's view of a counter. All numbers are absolute, so that a round trip that is repeated,
 * or whose reply was lost, never counts twice.
 */
export interface CounterStatement {
  readonly key: string;
  /**
   * Name under which the process reports. The process changes it only when nothing is left to
   * report under the old name.
   */
  readonly holder: string;
  /** The limit in force. */
  readonly value: number;
  readonly strict: boolean;
  readonly kind: CounterWindow['kind'];
  /** Window length of fixed and sliding windows; 0 otherwise. */
  readonly lengthMs: number;
  readonly originMs: number;
  /**
   * Period starts in ascending order, around the current time of the process; empty for other
   * kinds.
   */
  readonly boundaries: readonly number[];
  /** The period that `consumed` and `hold` belong to; −1 when the process has none yet. */
  readonly period: number;
  /** Everything that this process has used in the period. */
  readonly consumed: number;
  /** The amount reserved for in-flight requests plus the amount kept for the next ones. */
  readonly hold: number;
  /**
   * Extra amount that the process would like to keep for its next requests; granted while headroom
   * is large.
   */
  readonly want: number;
  /** Amount that one request takes. Keeping less is useless, so a smaller extra is not granted. */
  readonly least: number;
  /**
   * The balance from the durable record, for a budget counter that the store has lost or never had.
   */
  readonly seed: Balance | null;
  /**
   * Whether the counter has replied to this holder before. A counter that does not know such a
   * holder has been lost.
   */
  readonly known: boolean;
}

/**
 * Balance of a budget in the durable record at one moment. It may lag behind, but never contains
 * too much.
 */
export interface Balance {
  readonly period: number;
  readonly used: number;
  /** Amounts by holder, for holders charged recently (within less than `FORGET_HOLDER_MS`). */
  readonly holders: readonly (readonly [holder: string, used: number])[];
  /**
   * Amounts by holder, for holders charged earlier; listed for longer than a counter remembers a
   * holder.
   */
  readonly former?: readonly (readonly [holder: string, used: number])[];
  /**
   * The part of `used` that price corrections added (negative: removed). It belongs to no holder; 0
   * when absent.
   */
  readonly adjusted?: number;
}

/** One request: either all of its counters take their amounts, or none does. */
export interface Claim {
  /** Indexes into the statements. */
  readonly counters: readonly number[];
  readonly amounts: readonly number[];
}

export interface CounterRoundTrip {
  readonly tenant: string;
  /** Increases with each round trip of the process. */
  readonly sequence: number;
  /** Milliseconds after which held amounts are freed unless they are stated again. */
  readonly leaseMs: number;
  readonly statements: readonly CounterStatement[];
  /** Evaluated in order. */
  readonly claims: readonly Claim[];
  /** Dead processes, whose holds are freed; none when absent. */
  readonly gone?: readonly string[];
}

export interface CounterReply {
  /**
   * `unknown`: the budget's counter does not exist and needs a seed. `clock`: none of the
   * boundaries has been reached by the store's clock; retry with boundaries around the reply's
   * time. `stale`: a later round trip of this holder was applied before; nothing was changed.
   * `lost`: a concurrency counter was lost, which only its holders can rebuild; the statement was
   * stored, and other holders may still have to state theirs.
   */
  readonly status: 'ok' | 'unknown' | 'clock' | 'stale' | 'lost';
  readonly period: number;
  /**
   * Used in the period by all processes; for sliding windows including the weighted part of the
   * previous window.
   */
  readonly used: number;
  /** Held by all processes. */
  readonly held: number;
  /** Granted to this process on top of its statement's hold and its claims. */
  readonly extra: number;
  /**
   * Amount that the holder has used in the period; more than it stated when the durable record knew
   * more.
   */
  readonly consumed: number;
  /** Number of holders whose lease in the counter is valid, even if they hold nothing; at least 1. */
  readonly holders: number;
  /** For concurrency: a process that held less than its share was refused within `CROWDED_MS`. */
  readonly crowded: boolean;
}

/** Value in `CounterRoundTripReply.claims`: the claim was admitted. */
export const ADMITTED = -1;
/** Value in `CounterRoundTripReply.claims`: a counter could not be evaluated; see its status. */
export const UNDECIDED = -2;

export interface CounterRoundTripReply {
  /** The store's clock in Unix milliseconds. It alone decides which window is current. */
  readonly nowMs: number;
  readonly counters: readonly CounterReply[];
  /** `ADMITTED`, `UNDECIDED`, or the index of the statement that refused. */
  readonly claims: readonly number[];
}

export interface CounterReading {
  readonly period: number;
  readonly used: number;
  readonly held: number;
  readonly holders: readonly HolderReading[];
}

/** A counter's values for one holder. */
export interface HolderReading {
  readonly holder: string;
  /** Everything that the holder has stated, or that is recorded for it, in the period. */
  readonly consumed: number;
  /** Milliseconds since its lease in this counter ended; 0 while the lease is valid. */
  readonly silentMs: number;
}

/** Stores the counters. Every driver passes `counterStoreContract`. */
export interface CounterStore {
  /** Applies one atomic step to all counters of a tenant. Rejects when the store is unreachable. */
  exchange(exchange: CounterRoundTrip): CounterRoundTripReply | Promise<CounterRoundTripReply>;
  read(tenant: string, key: string): CounterReading | null | Promise<CounterReading | null>;
  /**
   * Brings a counter in line with the durable record.
   * Each holder counts with the larger of its stated and its recorded amount, so the counter is
   * exact at once, whatever it lost and whatever has not reached the record yet. Amounts that are
   * stated but not recorded are written off for `ended` holders only. Has no effect on a missing
   * counter or one of another period.
   */
  correct(tenant: string, key: string, truth: DurableBalance): void | Promise<void>;
  /**
   * Starts a new period at `atMs` with nothing used. Has no effect when the counter's period is not
   * older.
   */
  reset(tenant: string, key: string, atMs: number): void | Promise<void>;
}

export interface DurableBalance extends Balance {
  /**
   * Holders that will never report again, and whose recorded amounts are complete in this balance;
   * none when absent.
   */
  readonly ended?: readonly string[];
}

/** The durable record that lost counters are rebuilt from. */
export interface LedgerStore {
  /**
   * Returns the usage of requests that began at or after `since`, by counter key. `period` is later
   * than `since` when the counter was reset in between. A key without records has used 0.
   */
  balances(
    tenant: string,
    counters: readonly { readonly key: string; readonly since: number }[],
  ): readonly Balance[] | Promise<readonly Balance[]>;
  /**
   * Returns the daily usage of each budget, in order; null where unknown. Absent when the record
   * stores no times.
   */
  burnRates?(
    tenant: string,
    counters: readonly { readonly key: string; readonly since: number }[],
  ): Promise<readonly (number | null)[]>;
}

/**
 * One round trip grants at most headroom / EXTRA_DIVISOR as extra, so that every process can get
 * some of it and little of it lies unused near the limit.
 */
export const EXTRA_DIVISOR = 8;
/**
 * For this long after a process below its share of concurrency (limit / processes) was refused,
 * processes above their share get nothing.
 */
export const CROWDED_MS = 1_000;
/**
 * How far a counter's first boundary may lie ahead of the store's clock; the control plane's clock
 * may differ.
 */
export const SKEW_MAX_MS = 300_000;
/**
 * How long a process uses one holder name for counters that it begins to use; then it takes a new
 * name.
 */
export const HOLDER_RUN_MS = 12 * 3_600_000;
/**
 * A holder silent for this long is forgotten; its usage stays in the counter.
 * The durable record lists holders as recent for two days after their last charge, which is
 * shorter: the counter still knows each of them, or has never seen it. It lists them as former for
 * five days, which is longer, so every holder that the counter knows is listed.
 */
export const FORGET_HOLDER_MS = 60 * 3_600_000;
/**
 * Unused budget and concurrency counters are dropped after this time; a budget is rebuilt from the
 * durable record.
 */
export const IDLE_MS = 7 * DAY_MS;

/**
 * Returns how long an unused counter is kept, in milliseconds: two windows and a minute, or
 * `IDLE_MS`.
 */
export const lifeOf = ({
  kind,
  lengthMs = 0,
}: {
  readonly kind: string;
  readonly lengthMs?: number;
}): number => (kind === 'fixed' || kind === 'sliding' ? 2 * lengthMs + 60_000 : IDLE_MS);
