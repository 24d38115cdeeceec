import type { Journal, JournalStats, LogShipper } from '@gw/journal';
import type { ReadModel } from '@gw/read-model';
import { readRedisFacts, redisAdvice, acceptsWrites, redisProblem, type Redis } from '@gw/redis';
import { degraded, down, WELL, type Part, type PartState } from '@gw/web';

/** Milliseconds for which the journal counts as down after a loss was seen. */
const LOSING_MS = 300_000;
/**
 * Milliseconds after which a waiting record is late; normally a record is shipped within a second.
 */
const LATE_MS = 30_000;
/** Largest accepted difference to the control plane's clock, which is known to the second. */
const SKEW_MAX_MS = 30_000;
/** Fraction of the journal's cap above which the journal is degraded. */
const NEARLY_FULL = 0.8;
/** Unreadable entries that one reason names. */
const NAMED_MAX = 5;

export interface GatewayHealthParts {
  readonly documents: Pick<ReadModel, 'state'>;
  readonly journal: Pick<Journal, 'stats'>;
  readonly journalCapBytes: number;
  readonly shipper: Pick<LogShipper, 'stats'>;
  /** The journal's folder, with the names of its unreadable entries. */
  readonly home: { readonly unreadable: readonly string[] };
  readonly orphans: { readonly sealedCount: number };
  readonly presence: { readonly clockSkewMs: number | null };
  /** Null without Redis. */
  readonly redis: Redis | null;
}

/**
 * The health of the gateway's own parts. All of them recover without a restart, so no state
 * requests one.
 */
export class GatewayHealth {
  /** Number of lost records at the last check. Records lost before the start do not count. */
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
   * True once the process has had a state, from the control plane or from its disk. It stays true
   * when the sources go away: a gateway taken out of service would serve no request at all.
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
      ? degraded(
          'The control plane cannot be reached; the last known state is used and changes are not received.',
        )
      : down('The control plane has not been reached yet, and no state is stored from an earlier run.');
    return { ...state, figures };
  };

  /**
   * Uses the age of the oldest waiting record, because a sink can also delay a batch forever
   * without an error.
   */
  private readonly shipping = (): PartState => {
    const { failingSince, shipped, failedSends } = this.of.shipper.stats();
    const { oldestAtMs } = this.of.journal.stats();
    const oldestMs = oldestAtMs === null ? 0 : Math.max(0, Date.now() - oldestAtMs);
    const figures = { shipped, failed_sends: failedSends, oldest_ms: oldestMs };
    const late = oldestAtMs !== null && oldestMs > LATE_MS ? new Date(oldestAtMs) : null;
    const since = failingSince ?? late;
    if (since === null) return { ...WELL, figures };
    return { ...degraded('Log records are waiting in the journal.'), since, figures };
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
    if (this.isLosing(lost)) return { ...down('Log records were lost in the last five minutes.'), figures };
    return { ...this.journalRisk(stats), figures };
  };

  /**
   * Limit windows use the clock of Redis and log records that of the gateway, so the clocks must
   * agree.
   */
  private readonly clock = (): PartState => {
    const { clockSkewMs: skewMs } = this.of.presence;
    const figures = { ahead_ms: skewMs };
    if (skewMs === null || Math.abs(skewMs) < SKEW_MAX_MS) return { ...WELL, figures };
    return {
      ...degraded("The clock differs from the control plane's by 30 s or more; synchronise it with NTP."),
      figures,
    };
  };

  private journalRisk({ unwritten, backlogBytes }: JournalStats): PartState {
    if (unwritten > 0) return degraded('The disk refuses log records; they are kept in memory.');
    if (backlogBytes > this.of.journalCapBytes * NEARLY_FULL) return degraded('The journal is nearly full.');
    const { home, orphans } = this.of;
    if (orphans.sealedCount > 0) {
      return degraded('The data folder holds log records that were sealed with another ENCRYPTION_KEY.');
    }
    if (home.unreadable.length === 0) return WELL;
    const names = home.unreadable.slice(0, NAMED_MAX).join(', ');
    return degraded(`Unreadable entries of the journal folder were set aside: ${names}.`);
  }

  /**
   * True for `LOSING_MS` after a check that found new losses; older losses do not describe the
   * current state.
   */
  private isLosing(lost: number): boolean {
    const now = performance.now();
    if (lost > this.known) this.lostAt = now;
    this.known = lost;
    return now - this.lostAt < LOSING_MS;
  }
}

const lostOf = (stats: JournalStats): number =>
  stats.droppedAtCap + stats.droppedByDisk + stats.droppedOversized + stats.damagedRecords;

/** A full Redis still responds to reads, so this attempts a write. */
async function redisState(redis: Redis): Promise<PartState> {
  if (!(await acceptsWrites(redis)))
    return down('Redis accepts no writes: it is unreachable, full or read-only.');
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
