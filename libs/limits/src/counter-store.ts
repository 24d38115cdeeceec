import { DAY_MS } from '@gw/kernel';
import type { CounterWindow } from './bucket';

/**
 * A counter as one process states it. All numbers are absolute, so that an exchange that is repeated, or whose answer was lost,
 * changes nothing twice.
 */
export interface CounterStatement {
  readonly key: string;
  /** Who states it: a name of the process, which it changes only where it has nothing left to state under the old one. */
  readonly holder: string;
  /** The limit in force. */
  readonly value: number;
  readonly strict: boolean;
  readonly kind: CounterWindow['kind'];
  /** Of fixed and sliding windows; 0 otherwise. */
  readonly lengthMs: number;
  readonly originMs: number;
  /** Of periods: starts, ascending, around the time as the process knows it. */
  readonly boundaries: readonly number[];
  /** The period that `consumed` and `hold` belong to; −1: the process has none yet. */
  readonly period: number;
  /** Everything that this process has used in the period. */
  readonly consumed: number;
  /** What is reserved for requests under way, and what is kept for the next ones. */
  readonly hold: number;
  /** What the process would like to keep for the next ones on top. Given while headroom is large. */
  readonly want: number;
  /** What one request takes. Less than this is of no use to keep, and is left to the others. */
  readonly least: number;
  /** What the durable record says, for a counter of a budget that the store has lost or never had. */
  readonly seed: Balance | null;
  /** The counter has answered this holder before. Where it does not know it any more, it has been lost. */
  readonly known: boolean;
}

/** What the durable record says of a budget. Complete or behind, never too much; all of it is of one moment. */
export interface Balance {
  readonly period: number;
  readonly used: number;
  /** How much of it was charged under each holder's name, of all that were charged of late: `FORGET_HOLDER_MS` covers it. */
  readonly holders: readonly (readonly [holder: string, used: number])[];
  /** The same of those before them, for longer than a counter knows a holder. One that the counter has forgotten is part of it for good. */
  readonly former?: readonly (readonly [holder: string, used: number])[];
  /** The part of `used` that corrections of prices have added, or taken where it is negative; no holder has used it. Absent: 0. */
  readonly adjusted?: number;
}

/** One request: all of its counters take their amounts, or none does. */
export interface Claim {
  /** Indexes into the statements. */
  readonly counters: readonly number[];
  readonly amounts: readonly number[];
}

export interface Exchange {
  readonly tenant: string;
  /** Rises with each exchange of the process. */
  readonly sequence: number;
  /** What is held is given free when it was not stated again for so long. */
  readonly leaseMs: number;
  readonly statements: readonly CounterStatement[];
  /** Judged in order. */
  readonly claims: readonly Claim[];
  /** Processes that are dead: what their holders hold is free. Absent: none. */
  readonly gone?: readonly string[];
}

export interface CounterAnswer {
  /**
   * `unknown`: a budget's counter is not there and needs a seed. `clock`: none of the boundaries has come by the store's clock;
   * ask again with ones around the answer's time. `stale`: a later exchange of the holder was here before; nothing was changed.
   * `lost`: of concurrency, which nothing can rebuild but those who hold it: what was stated is noted, and others may still have to state it.
   */
  readonly status: 'ok' | 'unknown' | 'clock' | 'stale' | 'lost';
  readonly period: number;
  /** Used in the period, by all; for sliding windows what counts of the window before is in it. */
  readonly used: number;
  /** Held by all. */
  readonly held: number;
  /** What this process keeps on top of its statement's hold and its claims. */
  readonly extra: number;
  /** What the holder is known to have used in the period: more than it has stated where the durable record knew more. */
  readonly consumed: number;
  /** Processes that hold something. At least 1. */
  readonly holders: number;
  /** Of concurrency: a process that holds less than its share was refused within `CROWDED_MS`. */
  readonly crowded: boolean;
}

/** In `ExchangeAnswer.claims`. */
export const ADMITTED = -1;
/** A counter of the claim could not be judged; see its status. */
export const UNDECIDED = -2;

export interface ExchangeAnswer {
  /** The store's clock, Unix milliseconds. It alone decides which window it is. */
  readonly nowMs: number;
  readonly counters: readonly CounterAnswer[];
  /** `ADMITTED`, `UNDECIDED`, or the index of the statement that refused. */
  readonly claims: readonly number[];
}

export interface CounterReading {
  readonly period: number;
  readonly used: number;
  readonly held: number;
  readonly holders: readonly HolderReading[];
}

/** What a counter knows of one holder. */
export interface HolderReading {
  readonly holder: string;
  /** Everything that it has stated, or that is recorded of it, in the period. */
  readonly consumed: number;
  /** How long its lease in this counter has been over, in milliseconds; 0: it has not ended. */
  readonly silentMs: number;
}

/** Where counters live. Every driver passes `counterStoreContract`. */
export interface CounterStore {
  /** One atomic step over all counters of a tenant. Rejects when the store cannot be reached. */
  exchange(exchange: Exchange): ExchangeAnswer | Promise<ExchangeAnswer>;
  read(tenant: string, key: string): CounterReading | null | Promise<CounterReading | null>;
  /**
   * Brings a counter in line with the durable record. Each holder has used what it has stated or what is recorded of it, whichever is more:
   * so the counter is exact at once, whatever it has lost and whatever is still on its way to the record. What a holder has stated more than
   * is recorded of it is written off for `ended` holders alone. A missing counter, or one of another period, is left alone.
   */
  correct(tenant: string, key: string, truth: Truth): void | Promise<void>;
  /** Starts a new period at `atMs` with nothing used; without effect when the counter's period is as new. */
  reset(tenant: string, key: string, atMs: number): void | Promise<void>;
}

export interface Truth extends Balance {
  /** Holders that will never state anything again, and of which everything that ever will be recorded is in this balance. Absent: none. */
  readonly ended?: readonly string[];
}

/** What a durable record must answer, so that lost counters can be rebuilt. */
export interface LedgerStore {
  /**
   * What requests that began at or after `since` have used, by counter key. `period` is later than `since` where the counter was reset in
   * between. A key without records has used 0.
   */
  balances(
    tenant: string,
    counters: readonly { readonly key: string; readonly since: number }[],
  ): readonly Balance[] | Promise<readonly Balance[]>;
  /** What budgets use in a day; null where it is unknown. One for each, in order. Absent: the record does not know. */
  burnRates?(
    tenant: string,
    counters: readonly { readonly key: string; readonly since: number }[],
  ): Promise<readonly (number | null)[]>;
}

/** The share of the headroom that one exchange may give as extra: many processes can keep some, and little is idle near the limit. */
export const EXTRA_DIVISOR = 8;
/**
 * How long a process that was refused while it held less than its share of concurrency (the limit divided by the processes that use it) keeps
 * those back that hold more.
 */
export const CROWDED_MS = 1_000;
/** How far a counter's first boundary may lie ahead of the store's clock and still be taken: the control plane's clock may differ. */
export const SKEW_MAX_MS = 300_000;
/** How long a process begins to use counters under one name. */
export const HOLDER_RUN_MS = 12 * 3_600_000;
/**
 * A holder that was silent for so long is forgotten, with what it has used being part of the counter for good. The durable record names holders
 * for two days after their last charge, which is shorter: one of those the counter knows, or has never seen. It tells of them apart for five
 * days, which is longer, whatever a holder did after its last charge: one that the counter knows has its part there.
 */
export const FORGET_HOLDER_MS = 60 * 3_600_000;
/** Counters of budgets and concurrency that no process used are dropped after it; a budget is rebuilt from the durable record. */
export const IDLE_MS = 7 * DAY_MS;

/** How long a counter is kept without use: two of its windows, or as above. */
export const lifeOf = ({
  kind,
  lengthMs = 0,
}: {
  readonly kind: string;
  readonly lengthMs?: number;
}): number => (kind === 'fixed' || kind === 'sliding' ? 2 * lengthMs + 60_000 : IDLE_MS);
