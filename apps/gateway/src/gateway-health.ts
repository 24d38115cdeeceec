import type { ReadModel } from '@gw/read-model';
import { redisAnswers, type Redis } from '@gw/redis';
import type { Journal, LogShipper } from '@gw/telemetry';
import { degraded, down, partOf, WELL, type Part, type PartState } from '@gw/web';

/** How long the journal counts as degraded after a loss was seen. */
const LOSING_MS = 300_000;
/** Of the journal's cap. */
const NEARLY_FULL = 0.8;

export interface GatewayHealthParts {
  readonly documents: Pick<ReadModel, 'state'>;
  readonly journal: Pick<Journal, 'stats'>;
  readonly journalCapBytes: number;
  readonly shipper: Pick<LogShipper, 'stats'>;
  /** Null without Redis. */
  readonly redis: Redis | null;
}

/** What the gateway's process says of itself: these parts mend themselves, so none of them asks for a restart. */
export class GatewayHealth {
  private known = 0;
  private lostAt = -Infinity;
  private hasState = false;

  constructor(private readonly of: GatewayHealthParts) {}

  get parts(): readonly Part[] {
    const { redis } = this.of;
    const own = { read_model: this.readModel, log_shipping: this.shipping, journal: this.journal };
    return [
      ...Object.entries(own).map(([name, check]) => ({ name, check })),
      ...(redis === null ? [] : [partOf('redis', () => redisAnswers(redis))]),
    ];
  }

  /**
   * True from the first state that it has on: heard from the control plane, or kept on the disk. What goes away later does not take that
   * away, and a gateway that is taken out for it would answer nobody at all.
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

  private readonly shipping = (): PartState => {
    const { failingSince, shipped, failedSends } = this.of.shipper.stats();
    const figures = { shipped, failed_sends: failedSends };
    if (failingSince === null) return { ...WELL, figures };
    return { ...degraded('Log records wait in the journal.'), since: failingSince, figures };
  };

  private readonly journal = (): PartState => {
    const { backlogBytes, diskBytes, droppedAtCap, droppedByDisk, droppedOversized } =
      this.of.journal.stats();
    const dropped = droppedAtCap + droppedByDisk + droppedOversized;
    const figures = {
      backlog_bytes: backlogBytes,
      disk_bytes: diskBytes,
      cap_bytes: this.of.journalCapBytes,
      dropped,
    };
    if (this.isLosing(dropped)) return { ...down('Log records were lost in the last minutes.'), figures };
    const isNearlyFull = backlogBytes > this.of.journalCapBytes * NEARLY_FULL;
    return { ...(isNearlyFull ? degraded('It is nearly full.') : WELL), figures };
  };

  /** Records were lost lately; that some were lost days ago says nothing of now. */
  private isLosing(dropped: number): boolean {
    const now = performance.now();
    if (dropped > this.known) this.lostAt = now;
    this.known = dropped;
    return now - this.lostAt < LOSING_MS;
  }
}
