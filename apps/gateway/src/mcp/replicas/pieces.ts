import { randomHex } from '@gw/kernel';

/** Part of a message that is too long for one publication. */
export interface Piece {
  /** Names the message. */
  readonly of: string;
  /** From 0. */
  readonly at: number;
  readonly count: number;
  readonly text: string;
}

/** UTF-16 units of a piece: small enough that others get their messages in between. */
const PIECE_LENGTH = 131_072;
/** A result of 8 MiB, with what is written around it. */
export const MESSAGE_LENGTH_MAX = 128 * PIECE_LENGTH;
/** UTF-16 units of all messages of which pieces are missing. */
const HELD_LENGTH_MAX = 4 * MESSAGE_LENGTH_MAX;

/** The pieces of a text in order; null when it is longer than 16 Mi UTF-16 units. */
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

/** Joins pieces, which arrive in order. A message that lost a piece is dropped. */
export class PieceAssembly {
  private readonly partials = new Map<string, Partial>();
  private held = 0;

  /** The whole text once its last piece arrived; null before. */
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

  /** Drops what is incomplete, oldest first, until the rest is within the bound. */
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
