import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Where the next unacknowledged block starts, and the number of its first record. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
  readonly number: number;
}

/** Losses since the journal's folder was made; they survive the process. */
export interface JournalLosses {
  /** Records that were dropped: the journal was at its cap, the disk refused the write, the record was too large. */
  droppedAtCap: number;
  droppedByDisk: number;
  droppedOversized: number;
  /** Records that were written and can't be read again, known by the gap in their numbers. */
  damagedRecords: number;
  /** Bytes that no longer read as blocks. */
  damagedBytes: number;
}

const NAME = 'state.json';
/** State file of versions that kept no numbers. */
const LEGACY_NAME = 'cursor.json';
/** One write of this length replaces the whole file, so that a reader never finds two states mixed. */
const BYTES = 320;
const LOSSES: readonly (keyof JournalLosses)[] = [
  'droppedAtCap',
  'droppedByDisk',
  'droppedOversized',
  'damagedRecords',
  'damagedBytes',
];

export const noLosses = (): JournalLosses => ({
  droppedAtCap: 0,
  droppedByDisk: 0,
  droppedOversized: 0,
  damagedRecords: 0,
  damagedBytes: 0,
});

/**
 * The position up to which everything has arrived and what was lost, as JSON padded to a fixed length and overwritten in place: one
 * system call for each batch that is shipped, and none that needs room on a full disk. A checksum finds a file that the machine's
 * death left half-written.
 */
export class JournalState {
  private readonly line = Buffer.alloc(BYTES, ' ');
  private fd: number | null = null;

  constructor(private readonly directory: string) {}

  /** Null when there is none that can be read: everything is sent again then, and the receiver drops what it has. */
  read(): { readonly position: Position; readonly losses: JournalLosses } | null {
    const value = this.parsed(NAME);
    if (value === null) return null;
    const { check, ...rest } = value;
    if (check !== checkOf(rest)) return null;
    const { segment = NaN, offset = NaN, number = NaN } = rest;
    if (![segment, offset, number].every(Number.isSafeInteger)) return null;
    const losses = noLosses();
    for (const name of LOSSES) losses[name] = rest[name] ?? 0;
    return { position: { segment, offset, number }, losses };
  }

  /** The position that a version without numbers has left; null: there is none. */
  readLegacy(): { readonly segment: number; readonly offset: number } | null {
    const { segment = NaN, offset = NaN, check } = this.parsed(LEGACY_NAME) ?? {};
    if (check !== crc32(`${String(segment)} ${String(offset)}`)) return null;
    return { segment, offset };
  }

  removeLegacy(): void {
    rmSync(join(this.directory, LEGACY_NAME), { force: true });
  }

  /** Throws what the disk says. */
  write({ segment, offset, number }: Position, losses: JournalLosses): void {
    this.fd ??= openSync(join(this.directory, NAME), 'w', 0o600);
    const value = { segment, offset, number, ...losses };
    this.line.fill(' ');
    this.line.write(JSON.stringify({ ...value, check: checkOf(value) }), 'latin1');
    writeSync(this.fd, this.line, 0, BYTES, 0);
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }

  private parsed(name: string): Partial<Record<string, number>> | null {
    try {
      const value: unknown = JSON.parse(readFileSync(join(this.directory, name), 'utf8'));
      return typeof value === 'object' && value !== null ? value : null;
    } catch {
      return null;
    }
  }
}

const checkOf = (value: Partial<Record<string, number>>): number => crc32(JSON.stringify(value));
