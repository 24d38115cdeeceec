import {
  claimExport,
  deletedExports,
  exportRestrictionsOf,
  finishExport,
  LogExportPartEntity,
  OrganisationEntity,
  releaseExport,
  renewExportLease,
  WorkspaceEntity,
  type LogExportEntity,
} from '@gw/entities';
import { logExportsJob, type JobProcessor } from '@gw/jobs';
import { randomHex } from '@gw/kernel';
import type { LogStores } from '@gw/object-store';
import { describeFault, type Log } from '@gw/web';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { hostname } from 'node:os';
import type { DataSource } from 'typeorm';
import { exportFolder, ExportRun } from './export-run';

/** Exports of this process at a time; they share the jobs' places with all else. */
const AT_ONCE = 2;
/** Failures of an export in this process, without a part in between that could be written, before it is given up. */
const FAILURES_MAX = 5;
const KNOWN_FAILURES_MAX = 1_000;

/**
 * Writes exports to their end, one for each run of the job. Safe to run twice and in several workers: an export belongs to who holds
 * its lease, and a worker that has lost it can record nothing more.
 */
export class LogExportsProcessor implements JobProcessor, BeforeApplicationShutdown {
  readonly spec = logExportsJob;
  private active = 0;
  private isStopping = false;
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly source: DataSource,
    private readonly stores: LogStores,
    /** Exports are switched off otherwise: those that were started wait. */
    private readonly isEnabled: boolean,
    private readonly log: Log,
  ) {}

  /** An export goes on elsewhere, or with the next start, from its last part. */
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
    const denied = await this.deniedOf(row);
    if (denied.length > 0) {
      const failure = `These fields may no longer be exported: ${denied.join(', ')}.`;
      await finishExport(this.source, ticket, { status: 'failed', failure, last: null });
      return;
    }
    try {
      const run = new ExportRun(this.source, this.stores, row, owner, () => this.isStopping);
      if (!(await run.write())) await releaseExport(this.source.manager, ticket);
    } catch (error) {
      this.log.warn({ exportId: row.id, ...describeFault(error) }, 'an export could not be written');
      if (this.countFailure(row) < FAILURES_MAX) {
        // Until its lease runs out; a store that is away needs a moment.
        await renewExportLease(this.source.manager, ticket).catch(() => undefined);
        return;
      }
      const failure = 'The logs could not be read, or the file could not be written.';
      await finishExport(this.source, ticket, { status: 'failed', failure, last: null });
    }
  }

  private async deniedOf({ workspaceId, organisationId, requestedData }: LogExportEntity): Promise<string[]> {
    const { manager } = this.source;
    const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
    const workspace = await manager.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    const { deniedFields } = exportRestrictionsOf(organisation, workspace);
    return requestedData.filter((field) => deniedFields.includes(field));
  }

  private countFailure({ id, rowsDone }: LogExportEntity): number {
    const place = `${id} ${String(rowsDone)}`;
    if (this.failures.size >= KNOWN_FAILURES_MAX) this.failures.clear();
    const count = (this.failures.get(place) ?? 0) + 1;
    this.failures.set(place, count);
    return count;
  }

  private async removeDeleted(): Promise<void> {
    for (const { id, organisationId } of await deletedExports(this.source.manager)) {
      await this.stores.exports.removeFolder(exportFolder(organisationId, id));
      await this.source.manager.delete(LogExportPartEntity, { exportId: id });
    }
  }
}
