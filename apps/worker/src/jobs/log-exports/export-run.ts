import { LogExportPartEntity, type LogExportEntity } from '@gw/entities';
import {
  commitExportPart,
  exportPositionAt,
  finishExport,
  logExportFilter,
  readExportRows,
  renewExportLease,
  type ExportedLog,
  type ExportPosition,
  type ExportTicket,
  type LogBodies,
  type LogExportFilters,
} from '@gw/log-store';
import type { LogStores } from '@gw/object-store';
import type { DataSource } from 'typeorm';
import { ExportBodies } from './export-bodies';
import { exportFormat, type ExportFormat } from './export-format';
import { exportRow } from './export-row';

/**
 * A part is full at the first of these bounds. Encoding a part dominates the memory of an export:
 * with 4 MiB, Parquet needed 30 MiB more.
 */
const PART_ROWS_MAX = 10_000;
const PART_BYTES_MAX = 2 * 1_048_576;
const ROWS_AT_ONCE = 500;
/** Minimum time between two renewals of the lease, which lasts one minute, in milliseconds. */
const RENEW_MS = 10_000;

export const exportFolder = (organisationId: string, exportId: string): string =>
  `exports/${organisationId}/${exportId}/`;

/** Thrown when the lease is lost: another worker has the export, or its owner cancelled it. */
class Stopped extends Error {}

const NO_BODIES: LogBodies = { request: null, response: null };

/**
 * Writes one export, starting after its last part. Each part is an object, then a row that names it
 * with the position of its last log. After a crash in between, the same bytes are written again.
 * Only one part is in memory.
 */
export class ExportRun {
  private readonly ticket: ExportTicket;
  private readonly format: ExportFormat;
  private readonly parts: { readonly rows: number; readonly meta: object | null }[] = [];
  private offset = 0;
  private position: ExportPosition | null;
  private renewedAt = Date.now();

  constructor(
    private readonly source: DataSource,
    private readonly stores: LogStores,
    private readonly row: LogExportEntity,
    owner: string,
    private readonly isStopping: () => boolean,
  ) {
    this.ticket = { id: row.id, run: row.run, owner };
    this.format = exportFormat(row);
    this.position = row.position;
  }

  /** Returns false if the export was stopped before its end. */
  async write(): Promise<boolean> {
    try {
      await this.resume();
      for await (const [log, bodies] of this.logs()) {
        this.format.add(exportRow(this.row.requestedData, log, bodies));
        this.position = { createdAt: log.position, id: log.id };
        if (this.format.rows >= PART_ROWS_MAX || this.format.bytes >= PART_BYTES_MAX) await this.writePart();
      }
      if (this.format.rows > 0) await this.writePart();
      await this.finish();
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  private async resume(): Promise<void> {
    const { id, organisationId } = this.row;
    const written = await this.source.manager.find(LogExportPartEntity, {
      where: { exportId: id },
      order: { number: 'ASC' },
    });
    // Without a recorded part, the folder can only hold objects of a run that crashed.
    if (written.length === 0) await this.stores.exports.removeFolder(exportFolder(organisationId, id));
    for (const { rows, meta, bytes } of written) {
      this.parts.push({ rows, meta });
      this.offset += bytes;
    }
  }

  private async *logs(): AsyncGenerator<readonly [ExportedLog, LogBodies]> {
    const filter = logExportFilter(this.row);
    const { page_size: pageSize, current_page: page = 0 } = this.row.filters as LogExportFilters;
    let rowsLeft = (pageSize ?? Infinity) - this.row.rowsDone;
    let after: ExportPosition | null | undefined = this.position;
    after ??= await exportPositionAt(this.source.manager, filter, page * (pageSize ?? 0));
    if (after === undefined) return;
    const withBodies = this.row.requestedData.some((field) => field === 'request' || field === 'response');
    const bodies = new ExportBodies(this.source.manager, this.stores.bodies);
    while (rowsLeft > 0) {
      await this.stillMine();
      const wanted = Math.min(ROWS_AT_ONCE, rowsLeft);
      const rows = await readExportRows(this.source.manager, filter, after, wanted);
      if (withBodies) yield* bodies.of(rows);
      else for (const row of rows) yield [row, NO_BODIES];
      const last = rows.at(-1);
      if (!last || rows.length < wanted) return;
      after = { createdAt: last.position, id: last.id };
      rowsLeft -= rows.length;
    }
  }

  private async stillMine(): Promise<void> {
    if (this.isStopping()) throw new Stopped();
    if (Date.now() - this.renewedAt < RENEW_MS) return;
    if (!(await renewExportLease(this.source.manager, this.ticket))) throw new Stopped();
    this.renewedAt = Date.now();
  }

  private async writePart(): Promise<void> {
    const { rows } = this.format;
    const { bytes, meta } = this.format.takePart(this.offset);
    const part = await this.put(bytes, rows, meta);
    if (!(await commitExportPart(this.source, this.ticket, part, this.position as ExportPosition)))
      throw new Stopped();
    this.renewedAt = Date.now();
    this.parts.push({ rows, meta });
    this.offset += bytes.length;
  }

  private async put(bytes: Buffer, rows: number, meta: object | null): Promise<LogExportPartEntity> {
    const { id, organisationId, run } = this.row;
    const number = this.parts.length;
    const key = `${exportFolder(organisationId, id)}${String(run)}/${String(number)}`;
    await this.stores.exports.put(key, bytes);
    return { exportId: id, number, key, bytes: bytes.length, rows, meta };
  }

  private async finish(): Promise<void> {
    const end = this.format.end(this.parts, this.offset);
    const last = end === null ? null : await this.put(end, 0, null);
    if (!(await finishExport(this.source, this.ticket, { status: 'success', failure: null, last })))
      throw new Stopped();
  }
}
