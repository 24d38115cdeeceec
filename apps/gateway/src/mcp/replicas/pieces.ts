import { randomHex } from '@gw/kernel';

/** A part of a message; long messages are published in several parts. */
export interface Piece {
  /** Random id of the message. */
  readonly of: string;
  /** Index of the piece, from 0. */
  readonly at: number;
  readonly count: number;
  readonly text: string;
}

/** Maximum UTF-16 units of a piece, so that messages to other receivers can be sent in between. */
const PIECE_LENGTH = 131_072;
/** Maximum UTF-16 units of a message: enough for a result of 8 MiB with its envelope. */
export const MESSAGE_LENGTH_MAX = 128 * PIECE_LENGTH;
/** Maximum UTF-16 units of all incomplete messages. */
const HELD_LENGTH_MAX = 4 * MESSAGE_LENGTH_MAX;

/** Splits a text into pieces; null when it is longer than `MESSAGE_LENGTH_MAX`. */
export function piecesOf(text: string): readonly Piece[] | null {
  if (text.length > MESSAGE_LENGTH_MAX) return null;
  const count = Math.max(1, Math.ceil(text.length / PIECE_LENGTH));
  const of = randomHex(8);
  return Array.from({ length: count }, (_, at) => ({
    ...{ of, at, count },
    text: text.slice(at * PIECE_LENGTH, (at + 1) * PIECE_LENGTH),
  }));
}

interface Partial {
  readonly texts: string[];
  length: number;
}

/** Joins pieces, which arrive in order. A message with a missing piece is dropped. */
export class PieceAssembly {
  private readonly partials = new Map<string, Partial>();
  private held = 0;

  /** Adds a piece. Returns the whole text when the piece completes it; otherwise null. */
  add({ of, at, count, text }: Piece): string | null {
    if (count === 1) return text;
    if (at === 0) this.drop(of);
    const partial = at === 0 ? { texts: [], length: 0 } : this.partials.get(of);
    if (partial === undefined || partial.texts.length !== at) {
      this.drop(of);
      return null;
    }
    this.partials.set(of, partial);
    partial.texts.push(text);
    partial.length += text.length;
    this.held += text.length;
    if (partial.texts.length === count) {
      this.drop(of);
      return partial.texts.join('');
    }
    this.bound();
    return null;
  }

  /** Drops incomplete messages, oldest first, until the rest is within `HELD_LENGTH_MAX`. */
  private bound(): void {
    for (const of of this.partials.keys()) {
      if (this.held <= HELD_LENGTH_MAX) return;
      this.drop(of);
    }
  }

  private drop(of: string): void {
    this.held -= this.partials.get(of)?.length ?? 0;
    this.partials.delete(of);
  }
}
