import type { Journal, JournalStats, LogShipper } from '@gw/journal';
import type { ReadModel } from '@gw/read-model';
import { readRedisFacts, redisAdvice, acceptsWrites, redisProblem, type Redis } from '@gw/redis';
import { degraded, down, WELL, type Part, type PartState } from '@gw/web';

/** How long the journal counts as degraded after a loss was seen. */
const LOSING_MS = 300_000;
/** Records are shipped within a second; older ones wait for something. */
const LATE_MS = 30_000;
/** To the control plane's clock, whose time is read to the second. */
const SKEW_MAX_MS = 30_000;
/** Of the journal's cap. */
const NEARLY_FULL = 0.8;
/** Names in a reason. */
const NAMED_MAX = 5;

export interface GatewayHealthParts {
  readonly documents: Pick<ReadModel, 'state'>;
  readonly journal: Pick<Journal, 'stats'>;
  readonly journalCapBytes: number;
  readonly shipper: Pick<LogShipper, 'stats'>;
  /** The folder of the journal. */
  readonly home: { readonly unreadable: readonly string[] };
  readonly orphans: { readonly sealedCount: number };
  readonly presence: { readonly clockSkewMs: number | null };
  /** Null without Redis. */
  readonly redis: Redis | null;
}

/** What the gateway's process says of itself: these parts mend themselves, so none of them asks for a restart. */
export class GatewayHealth {
  /** What was lost before the start says nothing of now. */
  private known: number;
  private lostAt = -Infinity;
  private hasState = false;

  constructor(private readonly of: GatewayHealthParts) {
    this.known = lostOf(of.journal.stats());
  }

  get parts(): readonly Part[] {
    const { redis } = this.of;
    const own = {
      read_model: this.readModel,
      log_shipping: this.shipping,
      journal: this.journal,
      clock: this.clock,
    };
    return [
      ...Object.entries(own).map(([name, check]) => ({ name, check })),
      ...(redis === null ? [] : [{ name: 'redis', check: () => redisState(redis) }]),
    ];
  }

  /**
   * True from the first state that it has on: heard from the control plane, or kept on the disk. What goes away later does not take that
   * away, and a gateway that is taken out for it would answer no request at all.
   */
  isReady(): boolean {
    const { verified, sequence } = this.of.documents.state();
    this.hasState ||= verified || sequence !== null;
    return this.hasState;
  }

  private readonly readModel = (): PartState => {
    const { verified, entries, source, lastEventAt } = this.of.documents.state();
    const figures = { documents: entries, source, last_event_at: lastEventAt };
    if (verified) return { ...WELL, figures };
    const state = this.isReady()
      ? degraded('The control plane is not heard: what is known is used, and nothing new is learnt.')
      : down('The control plane has not been heard yet, and nothing is known from before.');
    return { ...state, figures };
  };

  /** By the age of the oldest record that waits: a sink may also keep a batch for ever without an error. */
  private readonly shipping = (): PartState => {
    const { failingSince, shipped, failedSends } = this.of.shipper.stats();
    const { oldestAtMs } = this.of.journal.stats();
    const oldestMs = oldestAtMs === null ? 0 : Math.max(0, Date.now() - oldestAtMs);
    const figures = { shipped, failed_sends: failedSends, oldest_ms: oldestMs };
    const late = oldestAtMs !== null && oldestMs > LATE_MS ? new Date(oldestAtMs) : null;
    const since = failingSince ?? late;
    if (since === null) return { ...WELL, figures };
    return { ...degraded('Log records wait in the journal.'), since, figures };
  };

  private readonly journal = (): PartState => {
    const { journal, journalCapBytes: cap, home, orphans } = this.of;
    const stats = journal.stats();
    const lost = lostOf(stats);
    const figures = {
      backlog_bytes: stats.backlogBytes,
      disk_bytes: stats.diskBytes,
      cap_bytes: cap,
      dropped: lost - stats.damagedRecords,
      damaged: stats.damagedRecords,
      unwritten: stats.unwritten,
      sealed_journals: orphans.sealedCount,
      unreadable: home.unreadable.length,
    };
    if (this.isLosing(lost)) return { ...down('Log records were lost in the last minutes.'), figures };
    return { ...this.journalRisk(stats), figures };
  };

  /** Windows go by the clock of Redis and logs by that of the gateway: they should agree. */
  private readonly clock = (): PartState => {
    const { clockSkewMs: skewMs } = this.of.presence;
    const figures = { ahead_ms: skewMs };
    if (skewMs === null || Math.abs(skewMs) < SKEW_MAX_MS) return { ...WELL, figures };
    return { ...degraded("The clock is far from the control plane's; set it by NTP."), figures };
  };

  private journalRisk({ unwritten, backlogBytes }: JournalStats): PartState {
    if (unwritten > 0) return degraded('The disk refuses log records; they wait in memory.');
    if (backlogBytes > this.of.journalCapBytes * NEARLY_FULL) return degraded('It is nearly full.');
    const { home, orphans } = this.of;
    if (orphans.sealedCount > 0) {
      return degraded('Log records are kept that another ENCRYPTION_KEY has sealed.');
    }
    if (home.unreadable.length === 0) return WELL;
    const names = home.unreadable.slice(0, NAMED_MAX).join(', ');
    return degraded(`Set aside in the folder of the journal, since it cannot be read: ${names}.`);
  }

  /** Records were lost lately; that some were lost days ago says nothing of now. */
  private isLosing(lost: number): boolean {
    const now = performance.now();
    if (lost > this.known) this.lostAt = now;
    this.known = lost;
    return now - this.lostAt < LOSING_MS;
  }
}

const lostOf = (stats: JournalStats): number =>
  stats.droppedAtCap + stats.droppedByDisk + stats.droppedOversized + stats.damagedRecords;

/** A full Redis still answers, so that a write is tried. */
async function redisState(redis: Redis): Promise<PartState> {
  if (!(await acceptsWrites(redis))) return down('It does not take writes: it is away, full or read-only.');
  const facts = await readRedisFacts(redis);
  if (facts === null) return WELL;
  const problem = redisProblem(facts, 'state');
  const figures = {
    used_bytes: facts.usedMemory,
    maxmemory_bytes: facts.maxMemory,
    policy: facts.policy,
    append_only: String(facts.isAppendOnly),
    advice: redisAdvice(facts, 'state').join(' '),
  };
  return { ...(problem === null ? WELL : degraded(problem)), figures };
}
