import type { LogExportEntity } from '@gw/entities';
import { JsonLines } from './json-lines';
import { ParquetFile } from './parquet-file';

/** One row of an export: values by field. Times are dates; bodies and metadata are JSON values. */
export type ExportRow = Readonly<Record<string, unknown>>;

export interface EncodedPart {
  readonly bytes: Buffer;
  /** State of the part that `end` needs, as JSON. */
  readonly meta: object | null;
}

/**
 * Builds a file from parts. The same rows give the same bytes in every process, so a part that is
 * written again after a crash equals the lost one.
 */
export interface ExportFormat {
  /** Size of the current part in bytes, exact or estimated. */
  readonly bytes: number;
  readonly rows: number;
  add(row: ExportRow): void;
  /** Finishes the current part, which begins at `offset` of the file, and starts the next. */
  takePart(offset: number): EncodedPart;
  /** The end of the file after all parts, if the format has one. */
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
