import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Where the next unacknowledged frame starts. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

const NAME = 'cursor.json';
/** One write of this length replaces the whole file, so that a reader never finds two positions mixed. */
const BYTES = 96;

/**
 * The position up to which everything has arrived, as JSON padded to a fixed length and overwritten in place: one system call
 * for each batch that is shipped. A checksum tells a file that the machine's death left half-written.
 */
export class CursorFile {
  private readonly path: string;
  private readonly line = Buffer.alloc(BYTES, ' ');
  private fd: number | null = null;

  constructor(directory: string) {
    this.path = join(directory, NAME);
  }

  /** Null when there is none that can be read: everything is sent again then, and the receiver drops what it has. */
  read(): Position | null {
    try {
      const value = JSON.parse(readFileSync(this.path, 'utf8')) as Partial<Position & { check: number }>;
      const { segment = NaN, offset = NaN, check } = value;
      if (!Number.isSafeInteger(segment) || !Number.isSafeInteger(offset)) return null;
      return check === checkOf({ segment, offset }) ? { segment, offset } : null;
    } catch {
      return null;
    }
  }

  /** Throws what the disk says. */
  write(position: Position): void {
    this.fd ??= openSync(this.path, 'w', 0o600);
    this.line.fill(' ');
    this.line.write(JSON.stringify({ ...position, check: checkOf(position) }), 'latin1');
    writeSync(this.fd, this.line, 0, BYTES, 0);
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }
}

const checkOf = ({ segment, offset }: Position): number => crc32(`${String(segment)} ${String(offset)}`);
