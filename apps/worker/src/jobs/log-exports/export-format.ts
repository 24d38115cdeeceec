import type { LogExportEntity } from '@gw/entities';
import { JsonLines } from './json-lines';
import { ParquetFile } from './parquet-file';

/** One row of an export: values by field. Times are dates, bodies and metadata what JSON makes of them. */
export type ExportRow = Readonly<Record<string, unknown>>;

export interface EncodedPart {
  readonly bytes: Buffer;
  /** What `end` must know of the part; JSON. */
  readonly meta: object | null;
}

/**
 * Makes a file out of parts. The same rows give the same bytes, in whatever process: a part that is written again after a crash is the
 * part that would have been there.
 */
export interface ExportFormat {
  /** Of the part at hand, as the file will hold them or as near as is known. */
  readonly bytes: number;
  readonly rows: number;
  add(row: ExportRow): void;
  /** The part at hand, which begins at `offset` of the file; the next one is begun. */
  takePart(offset: number): EncodedPart;
  /** The end of the file after all parts, if any. */
  end(
    parts: readonly { readonly rows: number; readonly meta: object | null }[],
    offset: number,
  ): Buffer | null;
}

export const exportFormat = ({
  format,
  requestedData,
}: Pick<LogExportEntity, 'format' | 'requestedData'>): ExportFormat =>
  format === 'parquet' ? new ParquetFile(requestedData) : new JsonLines();
