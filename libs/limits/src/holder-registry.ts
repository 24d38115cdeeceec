import type { HolderFates } from './reconciler';

/** Where processes that hold parts of counters show that they live. */
export interface HolderStore {
  /** Rejects when the store cannot be reached. */
  beat(beat: Heartbeat): Promise<HolderCensus>;
}

export interface Heartbeat {
  /** The first part of its holders' names. */
  readonly process: string;
  /** A process that was silent for so long is dead; whatever it holds is free. */
  readonly leaseMs: number;
  /** Processes that are known to be dead: a successor runs on their data. */
  readonly dead: readonly string[];
  /** Processes that are dead, and of which everything that was in their journal is in the durable record. */
  readonly ended: readonly string[];
}

export interface HolderCensus {
  /** When the store began to keep these names, by its own clock. Another one than before: it has lost everything that it knew. */
  readonly epoch: number;
  readonly processes: readonly {
    readonly process: string;
    readonly state: 'live' | 'dead' | 'ended';
    readonly silentMs: number;
  }[];
}

export interface HolderRegistryOptions {
  readonly store: HolderStore;
  /** The name of this process; see `Ledger.process`. */
  readonly process: string;
  /** Processes that ran on the same data before this one. */
  readonly predecessors?: readonly string[];
  /** Whether everything that the predecessors left is in the durable record. Absent: it never is. */
  readonly isAdopted?: () => boolean;
  /** The predecessors have been declared ended. */
  readonly onEnded?: () => void;
  readonly leaseMs?: number;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
}

/** What a registry says to the ledger of its process. */
export interface LivenessListener {
  /** Until then, monotonic, other processes leave alone what this one holds. */
  isAliveUntil(atMs: number): void;
  /** Processes whose holds are free, in place of those of the last time. */
  areGone(processes: readonly string[]): void;
  /** The counters may have been lost: everything that is held must be stated again. */
  countersLost(): void;
}

export const HOLDER_LEASE_MS = 10_000;
const BEAT_EVERY_MS = 1_000;
/** Of the lease, how long a process relies on it; what is left covers a slow answer. */
const LEASE_PART = 0.8;
/** For so long processes are named that are gone: longer than any lease in a counter. */
const GONE_FOR_MS = 15 * 60_000;
const GONE_MAX = 64;

/**
 * Shows once a second that this process lives, and learns which others do. What a dead process holds of any counter is free within
 * `HOLDER_LEASE_MS`, and at once when a successor runs on its data.
 */
export class HolderRegistry implements HolderFates {
  private timer: NodeJS.Timeout | null = null;
  private beating = false;
  private epoch: number | null = null;
  private live: ReadonlySet<string> = new Set();
  private ended: ReadonlySet<string> = new Set();
  private predecessors: readonly string[];

  constructor(
    private readonly ledger: LivenessListener,
    private readonly options: HolderRegistryOptions,
  ) {
    this.predecessors = options.predecessors ?? [];
  }

  start(): void {
    const beat = (): void => {
      // A beat that fails is made up for by the next one.
      this.beat().catch(() => undefined);
    };
    this.timer ??= setInterval(beat, BEAT_EVERY_MS).unref();
    beat();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  fateOf(holder: string): 'live' | 'ended' | 'silent' {
    const process = processOf(holder);
    if (process === this.options.process || this.live.has(process)) return 'live';
    return this.ended.has(process) ? 'ended' : 'silent';
  }

  /** One turn of what `start` repeats. Rejects when the store cannot be reached. */
  async beat(): Promise<void> {
    if (this.beating) return;
    this.beating = true;
    try {
      await this.takeCensus();
    } finally {
      this.beating = false;
    }
  }

  private async takeCensus(): Promise<void> {
    const { store, process, leaseMs = HOLDER_LEASE_MS, isAdopted, onEnded } = this.options;
    const sentAt = (this.options.monotonic ?? (() => performance.now()))();
    const { predecessors } = this;
    const areEnded = predecessors.length > 0 && (isAdopted?.() ?? false);
    const [dead, ended] = areEnded ? [[], predecessors] : [predecessors, []];
    const { epoch, processes } = await store.beat({ process, leaseMs, dead, ended });
    this.ledger.isAliveUntil(sentAt + leaseMs * LEASE_PART);
    this.live = namesOf(processes, 'live');
    this.ended = namesOf(processes, 'ended');
    const gone = processes.filter(({ state, silentMs }) => state !== 'live' && silentMs < GONE_FOR_MS);
    this.ledger.areGone(gone.slice(0, GONE_MAX).map((each) => each.process));
    if (this.epoch !== null && this.epoch !== epoch) this.ledger.countersLost();
    this.epoch = epoch;
    if (!areEnded) return;
    this.predecessors = [];
    onEnded?.();
  }
}

const namesOf = (
  processes: HolderCensus['processes'],
  state: HolderCensus['processes'][number]['state'],
): ReadonlySet<string> =>
  new Set(processes.filter((each) => each.state === state).map(({ process }) => process));

/** A holder's name is that of its process, a dot and a number. */
export const processOf = (holder: string): string => holder.slice(0, holder.indexOf('.'));
