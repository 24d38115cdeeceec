import type { HolderFates } from './reconciler';

/** Where processes that hold parts of counters send their heartbeats. */
export interface HolderStore {
  /** Rejects when the store cannot be reached. */
  beat(beat: Heartbeat): Promise<HolderCensus>;
}

export interface Heartbeat {
  /** First part of the process's holder names. */
  readonly process: string;
  /** A process without a heartbeat for this long is dead, and its holds are freed. */
  readonly leaseMs: number;
  /** Processes known to be dead, because a successor runs on their data. */
  readonly dead: readonly string[];
  /** Dead processes whose whole journal is in the durable record. */
  readonly ended: readonly string[];
}

export interface HolderCensus {
  /**
   * When the store created this registry, by its own clock. A changed value means that it lost
   * everything.
   */
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
  /** Processes that ran on the same data directory before this one. */
  readonly predecessors?: readonly string[];
  /** Whether the predecessors' whole journal is in the durable record; never when absent. */
  readonly isAdopted?: () => boolean;
  /** Called once the predecessors have been declared ended. */
  readonly onEnded?: () => void;
  readonly leaseMs?: number;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
}

/** Receives what a registry learns, on behalf of the ledger of its process. */
export interface LivenessListener {
  /** Until this monotonic time other processes leave this process's holds alone. */
  isAliveUntil(atMs: number): void;
  /** Replaces the list of processes whose holds are free. */
  areGone(processes: readonly string[]): void;
  /** The counters may have been lost: everything held must be stated again. */
  countersLost(): void;
}

export const HOLDER_LEASE_MS = 10_000;
const BEAT_EVERY_MS = 1_000;
/** Fraction of the lease that a process relies on; the rest covers a slow response. */
const LEASE_PART = 0.8;
/** How long dead processes are reported: longer than any lease in a counter. */
const GONE_FOR_MS = 15 * 60_000;
const GONE_MAX = 64;

/**
 * Sends a heartbeat every second and learns which other processes are alive. What a dead process
 * holds in any counter is freed within `HOLDER_LEASE_MS`, and at once when a successor runs on its
 * data.
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
      // The next heartbeat makes up for a failed one.
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

  /** Runs one heartbeat, as `start` does repeatedly. Rejects when the store is unreachable. */
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

/** Returns the process part of a holder name, which is `<process>.<number>`. */
export const processOf = (holder: string): string => holder.slice(0, holder.indexOf('.'));
