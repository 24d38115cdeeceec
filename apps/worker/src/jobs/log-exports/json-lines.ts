import type { EncodedPart, ExportFormat, ExportRow } from './export-format';
import { TextBuffer } from './text-buffer';

const FIRST_BYTES = 1_048_576;

/** Writes one JSON object per line. */
export class JsonLines implements ExportFormat {
  private readonly lines = new TextBuffer(FIRST_BYTES);
  rows = 0;

  get bytes(): number {
    return this.lines.length;
  }

  add(row: ExportRow): void {
    this.lines.append(`${JSON.stringify(row)}\n`);
    this.rows += 1;
  }

  takePart(): EncodedPart {
    const bytes = this.lines.copy();
    this.lines.clear();
    this.rows = 0;
    return { bytes, meta: null };
  }

  end(): null {
    return null;
  }
}
