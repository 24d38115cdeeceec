import { Buffer } from 'node:buffer';

/** Bytes from which a piece is kept as it is. */
const LARGE_BYTES = 16_384;

/**
 * Appends a piece of a body to the pieces before it. Small pieces are joined, because each Buffer
 * takes some hundred bytes of memory in addition to its content: a body that arrives byte by byte
 * would need hundreds of times its size. Each byte is copied at most about fourteen times.
 */
export function addPiece(pieces: Buffer[], piece: Buffer): void {
  let joined = piece;
  for (let last = pieces.at(-1); last !== undefined; last = pieces.at(-1)) {
    if (last.length > joined.length || last.length >= LARGE_BYTES) break;
    pieces.pop();
    joined = Buffer.concat([last, joined]);
  }
  pieces.push(joined);
}
