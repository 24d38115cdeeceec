import { Buffer } from 'node:buffer';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { BLOCK_OVERHEAD_BYTES, findBlock, openBlock, probeBlock, writeBlock } from './block';
import { UnknownKeyError, type Sealer } from './sealer';

/** Header values of the blocks in such a file, which have no segment or record numbers. */
const FACTS = { segment: 0xf11e, number: 0, count: 0 } as const;

/** An encrypted file that this process appends to and a later process reads. */
export class SealedFile {
  bytes = 0;
  private readonly fd: number;
  private buffer = Buffer.allocUnsafeSlow(64 * 1024);

  /** Creates the file. Throws if it exists or cannot be created. */
  constructor(
    readonly path: string,
    private readonly sealer: Sealer,
  ) {
    this.fd = openSync(path, 'wx', 0o600);
  }

  /**
   * Encrypts and appends a piece with one write. On failure it throws the error of the file system,
   * and nothing of the piece stays in the file.
   */
  append(piece: Buffer): void {
    const bytes = piece.length + BLOCK_OVERHEAD_BYTES;
    if (this.buffer.length < bytes) this.buffer = Buffer.allocUnsafeSlow(bytes * 2);
    writeBlock(this.sealer, this.buffer, 0, piece, { ...FACTS, writtenAtMs: Date.now() });
    try {
      for (let done = 0; done < bytes;)
        done += writeSync(this.fd, this.buffer, done, bytes - done, this.bytes + done);
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

/**
 * Returns the readable pieces in order; null if another key encrypted them. Throws the error of the
 * file system.
 */
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
