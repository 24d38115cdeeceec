import type { FileHandle } from 'node:fs/promises';
import { GatewayError } from '@gw/kernel';
import type { BodySource } from '@gw/outbound';
import { SpoolCipher } from './spool-cipher';
import { SpoolReader, type Segment } from './spool-reader';

/** Bytes that replace `[from, to)` of the body. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly bytes: Buffer;
}

/** Disk space for the spooled bodies of a workspace. */
export interface Room {
  /** Reserves `bytes`; returns false when there is no room. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/**
 * An encrypted request body in an unlinked file, which the system removes with the last handle on
 * it.
 */
export class SpooledBody {
  /** Number of bytes written so far. */
  length = 0;
  private readonly cipher = new SpoolCipher();
  private readonly readers = new Set<SpoolReader>();
  private isClosed = false;
  private held = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly room: Room,
  ) {}

  /**
   * Appends bytes and resolves once they are written. Rejects with `unavailable` when there is no
   * room in the share or on the disk.
   */
  async append(piece: Buffer): Promise<void> {
    if (this.isClosed || !this.room.take(piece.length)) throw noRoom();
    this.held += piece.length;
    const sealed = this.cipher.encrypt(piece);
    try {
      for (let done = 0; done < sealed.length;) {
        const { bytesWritten } = await this.file.write(
          sealed,
          done,
          sealed.length - done,
          this.length + done,
        );
        done += bytesWritten;
      }
    } catch (cause) {
      throw noRoom(cause);
    }
    this.length += piece.length;
  }

  /** Returns the body for sending; it can be opened any number of times. */
  source(splice: Splice | null): BodySource {
    const segments = splice ? spliced(this.length, splice) : [{ from: 0, to: this.length }];
    return {
      length: segments.reduce((sum, segment) => sum + sizeOf(segment), 0),
      open: () => this.open(segments),
    };
  }

  /** Destroys open readers and frees the body's room. May be called more than once. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const reader of this.readers) reader.destroy();
    // Closing the file waits for a read or write in progress; the room is free immediately.
    this.room.give(this.held);
    this.file.close().catch(() => undefined);
  }

  private open(segments: readonly Segment[]): SpoolReader {
    const reader = new SpoolReader(this.file, segments, this.cipher);
    this.readers.add(reader);
    reader.once('close', () => this.readers.delete(reader));
    if (this.isClosed) reader.destroy();
    return reader;
  }
}

export const noRoom = (cause?: unknown): GatewayError =>
  new GatewayError('unavailable', { headers: { 'retry-after': '1' }, ...(cause !== undefined && { cause }) });

const sizeOf = (segment: Segment): number =>
  Buffer.isBuffer(segment) ? segment.length : segment.to - segment.from;

const spliced = (length: number, { from, to, bytes }: Splice): Segment[] =>
  [{ from: 0, to: from }, bytes, { from: to, to: length }].filter((segment) => sizeOf(segment) > 0);
