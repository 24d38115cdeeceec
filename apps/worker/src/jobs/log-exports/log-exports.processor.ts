import { LogExportEntity, LogExportPartEntity, OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { logExportsJob, type JobProcessor } from '@gw/jobs';
import { randomHex } from '@gw/kernel';
import {
  claimExport,
  deletedExports,
  exportRestrictionsOf,
  finishExport,
  releaseExport,
  restExport,
  type ExportTicket,
} from '@gw/log-store';
import type { LogStores } from '@gw/object-store';
import { describeFault, type Log } from '@gw/web';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hostname } from 'node:os';
import type { DataSource } from 'typeorm';
import { exportFolder, ExportRun } from './export-run';

/** Maximum number of concurrent exports in this process; they use the job slots of the process. */
const AT_ONCE = 2;
/** Consecutive failures of a run without a written part after which an export fails in this process. */
const FAILURES_MAX = 5;
const KNOWN_FAILURES_MAX = 1_000;
/**
 * Number of workers that may die on the same part before the export fails, because it would crash
 * every worker.
 */
const WORKERS_LOST_MAX = 3;

/**
 * Writes exports to their end, one per run of the job. Safe to run twice and in several workers:
 * the holder of the lease owns an export, and a worker that lost the lease cannot record anything.
 */
export class LogExportsProcessor implements JobProcessor, BeforeApplicationShutdown {
  readonly spec = logExportsJob;
  private active = 0;
  private isStopping = false;
  private readonly failures = new LRUCache<string, number>({ max: KNOWN_FAILURES_MAX });

  constructor(
    private readonly source: DataSource,
    private readonly stores: LogStores,
    /** Whether exports are enabled; otherwise started exports wait. */
    private readonly isEnabled: boolean,
    private readonly log: Log,
  ) {}

  /**
   * Releases exports on shutdown; they continue in another worker or after the next start, from
   * their last part.
   */
  beforeApplicationShutdown(): void {
    this.isStopping = true;
  }

  async process(): Promise<void> {
    await this.removeDeleted();
    if (!this.isEnabled || this.isStopping || this.active >= AT_ONCE) return;
    this.active += 1;
    try {
      const owner = `${hostname().slice(0, 40)}-${randomHex(6)}`;
      const row = await claimExport(this.source, owner);
      if (row) await this.write(row, owner);
    } finally {
      this.active -= 1;
    }
  }

  private async write(row: LogExportEntity, owner: string): Promise<void> {
    const ticket = { id: row.id, run: row.run, owner };
    const refusal = await this.refusalOf(row);
    if (refusal !== null) return this.fail(ticket, refusal);
    try {
      const run = new ExportRun(this.source, this.stores, row, owner, () => this.isStopping);
      if (!(await run.write())) await releaseExport(this.source.manager, ticket);
    } catch (error) {
      this.log.warn({ exportId: row.id, ...describeFault(error) }, 'failed to write an export');
      if (this.countFailure(row) < FAILURES_MAX) {
        await restExport(this.source.manager, ticket).catch(() => undefined);
        return;
      }
      await this.fail(ticket, 'The logs could not be read, or the file could not be written.');
    }
  }

  private async fail(ticket: ExportTicket, failure: string): Promise<void> {
    await finishExport(this.source, ticket, { status: 'failed', failure, last: null });
  }

  /** Returns why the export may not be written; null if it may. */
  private async refusalOf(row: LogExportEntity): Promise<string | null> {
    if (row.workersLost >= WORKERS_LOST_MAX) {
      this.log.error(
        { exportId: row.id, rowsDone: row.rowsDone },
        'gave up on an export that crashed its workers',
      );
      return `The worker died ${String(row.workersLost)} times after row ${String(row.rowsDone)}. Export a shorter time or fewer fields.`;
    }
    const { manager } = this.source;
    const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: row.organisationId });
    const workspace = await manager.findOneByOrFail(WorkspaceEntity, { id: row.workspaceId });
    const { deniedFields } = exportRestrictionsOf(organisation, workspace);
    const denied = row.requestedData.filter((field) => deniedFields.includes(field));
    return denied.length > 0 ? `These fields may no longer be exported: ${denied.join(', ')}.` : null;
  }

  private countFailure({ id, run, rowsDone }: LogExportEntity): number {
    const place = `${id} ${String(run)} ${String(rowsDone)}`;
    const count = (this.failures.get(place) ?? 0) + 1;
    this.failures.set(place, count);
    return count;
  }

  private async removeDeleted(): Promise<void> {
    const { manager } = this.source;
    for (const { id, organisationId, isSettled } of await deletedExports(manager)) {
      await this.stores.exports.removeFolder(exportFolder(organisationId, id));
      await manager.delete(LogExportPartEntity, { exportId: id });
      if (isSettled) await manager.delete(LogExportEntity, { id });
    }
  }
}
