import type { UpstreamIntegration } from '@gw/entities';
import { GatewayError, MINUTE_MS, Shares, uuidv7 } from '@gw/kernel';
import { Logger } from '@nestjs/common';
import type { DataSource, FindOptionsWhere } from 'typeorm';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { runDue } from './due-work';
import type { UpstreamTables } from './upstream-sync.queries';

/**
 * Maximum number of concurrent readings of each kind in one process. A single organisation can use
 * half of them.
 */
const READINGS_MAX = 8;
/**
 * Maximum number of integrations that one call of the job reads, and how many of them concurrently.
 */
const DUE_MAX = 20;
const DUE_AT_ONCE = 4;
const EVERY_MS = 15 * MINUTE_MS;
const BACK_OFF_MAX_MS = 360 * MINUTE_MS;

export interface ReadingOptions<R extends UpstreamIntegration> {
  readonly entity: new () => R;
  readonly tables: Pick<UpstreamTables, 'integrations' | 'canChange'>;
  /** Name of the job in the audit log. */
  readonly job: string;
  /** Plural name of the upstreams, for messages. */
  readonly of: string;
  /** Error type of a failure of the upstream; the failure is stored with the integration. */
  readonly unreadable: 'agent_unreadable' | 'mcp_server_unreadable';
  /**
   * Reads an upstream and stores the result. Throws a `GatewayError` of the type `unreadable` for
   * failures of the upstream.
   */
  readonly read: (row: R, caller: AuditCaller) => Promise<void>;
}

/**
 * Decides when the upstreams of one kind are read, on demand or by a job, and how many
 * concurrently.
 */
export class UpstreamReadings<R extends UpstreamIntegration> {
  private readonly log = new Logger(UpstreamReadings.name);
  private readonly places = new Shares(READINGS_MAX);
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: ReadingOptions<R>,
  ) {}

  /** Reads the upstream now; a call during another reading of the integration shares its result. */
  sync(row: R, caller: AuditCaller): Promise<void> {
    const known = this.running.get(row.id);
    if (known) return known;
    const reading = this.options.read(row, caller).finally(() => this.running.delete(row.id));
    this.running.set(row.id, reading);
    return reading;
  }

  /**
   * Reads the integrations that are due and returns their number. Stores a failure of an upstream
   * with its integration. An integration that could not be read for another reason is due again
   * immediately; an error of this process is thrown after the others have been read.
   */
  async syncDue(): Promise<number> {
    const { integrations: table, canChange } = this.options.tables;
    return runDue(this.dataSource.manager, {
      ...{ table, column: 'next_sync_at', lease: '10 minutes', max: DUE_MAX, atOnce: DUE_AT_ONCE },
      ...(canChange === undefined ? {} : { condition: canChange }),
      run: (id) => this.syncOne(id),
    });
  }

  /**
   * Reads an upstream that has announced a change. Waits for a reading in progress, which may have
   * missed the change. Stores a failure of the upstream with its integration and logs any other
   * failure.
   */
  async syncChanged(id: string): Promise<void> {
    await this.running.get(id)?.catch(() => undefined);
    try {
      await this.syncOne(id);
    } catch (error) {
      if (error instanceof GatewayError) return;
      this.log.error(`failed to read integration ${id}`, error instanceof Error ? error.stack : undefined);
    }
  }

  /**
   * Runs a call of an upstream within the concurrency limit of its organisation. Throws
   * `rate_limited` when the limit is reached.
   */
  async within<T>(
    { organisationId }: Pick<UpstreamIntegration, 'organisationId'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const share = this.places.of(organisationId, organisationId);
    if (!share.take(1)) throw this.tooMany();
    try {
      return await work();
    } finally {
      share.give(1);
    }
  }

  /**
   * Reads one integration. Stores a failure of the upstream in its row; throws every other error.
   */
  private async syncOne(id: string): Promise<void> {
    const where = { id, status: 'active' } as FindOptionsWhere<UpstreamIntegration> as FindOptionsWhere<R>;
    const row = await this.dataSource.manager.findOneBy(this.options.entity, where);
    if (row === null) return;
    try {
      await this.sync(row, this.callerFor(row));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.type !== this.options.unreadable) throw error;
    }
  }

  private callerFor({ organisationId, workspaceId }: UpstreamIntegration): AuditCaller {
    const { job: uri } = this.options;
    return {
      ...{ kind: 'system', organisationId, workspaceId, userId: null, apiKeyId: null },
      request: { id: uuidv7(), method: 'JOB', uri, clientIp: null, userAgent: null },
    };
  }

  private tooMany(): GatewayError {
    return new GatewayError('rate_limited', {
      message: `Too many ${this.options.of} are being read at once; try again in a moment.`,
      headers: { 'retry-after': '1' },
    });
  }
}

/** Returns when an upstream is read again after a successful reading. */
export const nextReading = (): Date => after(EVERY_MS);

/**
 * Returns when an upstream is read again after a failure. The wait grows with the time since the
 * last success.
 */
export function nextAttempt({
  lastSyncedAt,
  createdAt,
}: Pick<UpstreamIntegration, 'lastSyncedAt' | 'createdAt'>): Date {
  const since = lastSyncedAt ?? createdAt;
  return after(Math.min(BACK_OFF_MAX_MS, Math.max(EVERY_MS, Date.now() - since.getTime())));
}

/**
 * Returns a time in about `ms` milliseconds, up to 20 % earlier or later, so that readings spread
 * over time.
 */
const after = (ms: number): Date => new Date(Date.now() + ms * (0.8 + 0.4 * Math.random()));
