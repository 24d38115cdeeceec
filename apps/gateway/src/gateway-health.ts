import { GATEWAY_VERSION } from '@gw/kernel';
import type { ReadModel } from '@gw/read-model';
import type { Journal, LogShipper } from '@gw/telemetry';

export interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly service: 'gateway';
  readonly version: string;
  /** Parts that do not work right now: `read_model`, `log_shipping`, `journal`. Requests are answered all the same. */
  readonly degraded: readonly string[];
  readonly read_model: { readonly verified: boolean; readonly documents: number; readonly source: string };
  readonly journal: { readonly backlog_bytes: number; readonly dropped: number };
  readonly [part: string]: unknown;
}

/** How long the journal counts as degraded after a loss was seen. */
const LOSING_MS = 300_000;

/** What the gateway says of itself: degraded parts mend themselves, so none of them asks for a restart. */
export class GatewayHealth {
  private known = 0;
  private lostAt = -Infinity;

  constructor(
    private readonly documents: ReadModel,
    private readonly journal: Journal,
    private readonly shipper: LogShipper,
  ) {}

  report(): HealthReport {
    const { verified, entries, source } = this.documents.state();
    const { backlogBytes, droppedAtCap, droppedByDisk, droppedOversized } = this.journal.stats();
    const dropped = droppedAtCap + droppedByDisk + droppedOversized;
    const degraded: string[] = [];
    if (!verified) degraded.push('read_model');
    if (this.shipper.stats().failingSince !== null) degraded.push('log_shipping');
    if (this.isLosing(dropped)) degraded.push('journal');
    return {
      status: degraded.length === 0 ? 'ok' : 'degraded',
      service: 'gateway',
      version: GATEWAY_VERSION,
      degraded,
      read_model: { verified, documents: entries, source },
      journal: { backlog_bytes: backlogBytes, dropped },
    };
  }
  /** Records were lost lately; that some were lost days ago says nothing of now. */
  private isLosing(dropped: number): boolean {
    const now = performance.now();
    if (dropped > this.known) this.lostAt = now;
    this.known = dropped;
    return now - this.lostAt < LOSING_MS;
  }
}
