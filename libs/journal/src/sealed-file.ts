import { Buffer } from 'node:buffer';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { BLOCK_OVERHEAD_BYTES, findBlock, openBlock, probeBlock, writeBlock } from './block';
import { UnknownKeyError, type Sealer } from './sealer';

/** Blocks of such a file have no segment and no numbers of their own. */
const FACTS = { segment: 0xf11e, number: 0, count: 0 } as const;

/** A file of sealed pieces that this process appends to, and that only a successor reads. */
export class SealedFile {
  bytes = 0;
  private readonly fd: number;
  private room = Buffer.allocUnsafeSlow(64 * 1024);

  /** Throws when the file is there already, or can't be made. */
  constructor(
    readonly path: string,
    private readonly sealer: Sealer,
  ) {
    this.fd = openSync(path, 'wx', 0o600);
  }

  /** One write. Throws what the disk says; nothing of the piece is in the file then. */
  append(piece: Buffer): void {
    const bytes = piece.length + BLOCK_OVERHEAD_BYTES;
    if (this.room.length < bytes) this.room = Buffer.allocUnsafeSlow(bytes * 2);
    writeBlock(this.sealer, this.room, 0, piece, { ...FACTS, writtenAtMs: Date.now() });
    try {
      for (let done = 0; done < bytes;)
        done += writeSync(this.fd, this.room, done, bytes - done, this.bytes + done);
    } catch (error) {
      ftruncateSync(this.fd, this.bytes);
      throw error;
    }
    this.bytes += bytes;
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** The pieces that can be read, in order; null: another key has sealed them. Throws what the disk says. */
export function readSealedFile(path: string, sealer: Sealer): Buffer[] | null {
  const content = readFileSync(path);
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length;) {
    const probe = probeBlock(content, at, FACTS.segment);
    if (probe.kind !== 'block') {
      at = findBlock(content, at + 1, FACTS.segment);
      continue;
    }
    try {
      const piece = openBlock(sealer, content, at, probe.header);
      if (piece !== null) pieces.push(piece);
    } catch (error) {
      if (error instanceof UnknownKeyError) return null;
      throw error;
    }
    at += probe.header.bytes;
  }
  return pieces;
}
