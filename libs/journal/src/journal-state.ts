import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Start of the next unacknowledged block, and the number of its first record. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
  readonly number: number;
}

/** Losses since the journal's folder was created; they are stored across restarts. */
export interface JournalLosses {
  /**
   * Records that were dropped because the journal was at its cap, the disk refused the write, or
   * the record was too large.
   */
  droppedAtCap: number;
  droppedByDisk: number;
  droppedOversized: number;
  /** Records that were written but cannot be read, known by gaps in the record numbers. */
  damagedRecords: number;
  /** Bytes that are no valid blocks. */
  damagedBytes: number;
}

const NAME = 'state.json';
/** State file of versions without record numbers. */
const LEGACY_NAME = 'cursor.json';
/**
 * Length of the file. One write replaces it completely, so that a reader never finds a mix of two
 * states.
 */
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
 * The acknowledged position and the losses, stored as JSON that is padded to a fixed length and
 * overwritten in place. That takes one system call for each shipped batch and no free space on a
 * full disk. A checksum detects a file that a crash of the machine left half-written.
 */
export class JournalState {
  private readonly line = Buffer.alloc(BYTES, ' ');
  private fd: number | null = null;

  constructor(private readonly directory: string) {}

  /**
   * Returns the stored state; null if it is missing or unreadable. Then everything is sent again,
   * and the receiver drops duplicates.
   */
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

  /** Returns the position that a version without record numbers stored; null if there is none. */
  readLegacy(): { readonly segment: number; readonly offset: number } | null {
    const { segment = NaN, offset = NaN, check } = this.parsed(LEGACY_NAME) ?? {};
    if (check !== crc32(`${String(segment)} ${String(offset)}`)) return null;
    return { segment, offset };
  }

  removeLegacy(): void {
    rmSync(join(this.directory, LEGACY_NAME), { force: true });
  }

  /** Stores the state. Throws the error of the file system. */
  write({ segment, offset, number }: Position, losses: JournalLosses): void {
    this.fd ??= this.openFile();
    const value = { segment, offset, number, ...losses };
    this.line.fill(' ');
    this.line.write(JSON.stringify({ ...value, check: checkOf(value) }), 'latin1');
    writeSync(this.fd, this.line, 0, BYTES, 0);
  }

  /** Opens the file without emptying it: a refused write must leave the stored state. */
  private openFile(): number {
    const fd = openSync(join(this.directory, NAME), constants.O_RDWR | constants.O_CREAT, 0o600);
    if (fstatSync(fd).size > BYTES) ftruncateSync(fd, BYTES);
    return fd;
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
