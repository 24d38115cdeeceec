import type { Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/**
 * Makes one stream of several, in one dialect of clients: the first answer's events stay as they are, and those of the answers that go
 * on from it are fitted to them.
 */
export interface Splice {
  /** One whole event, as the client is to see it; null: not at all. */
  event(event: Buffer): Buffer | null;
  /** The end mark has gone by. */
  readonly complete: boolean;
  /** The provider has sent an error event, which is kept from the client. */
  readonly failed: boolean;
  /** What another answer can go on from: the text so far, without white space at its end. Null: it can't be continued. */
  partial(): string | null;
  /** Another answer goes on. `used`: what is known of the use of the one before. */
  goOn(used: Usage | null): void;
}

/** A longer answer is not continued: its text would have to be kept. */
const TEXT_LENGTH_MAX = 262_144;

/** The text that the client has. */
export class PartialText {
  private pieces: string[] = [];
  private length = 0;
  /** White space that the client has and the next answer did not see. */
  private awaited = '';
  /** False: it is too long, or something other than text belongs to it. */
  continuable = true;

  /** The part of `piece` that is new to the client. */
  add(piece: string): string {
    const fresh = this.awaited === '' ? piece : this.withoutAwaited(piece);
    if (!this.continuable) return fresh;
    this.length += fresh.length;
    this.pieces.push(fresh);
    if (this.length > TEXT_LENGTH_MAX) this.giveUp();
    return fresh;
  }

  giveUp(): void {
    this.continuable = false;
    this.pieces = [];
  }

  /** Some providers refuse a beginning that ends in white space. */
  read(): string | null {
    return this.continuable ? this.pieces.join('').trimEnd() : null;
  }

  goOn(): void {
    const text = this.pieces.join('');
    this.pieces = [text];
    this.awaited = text.slice(text.trimEnd().length);
  }

  private withoutAwaited(piece: string): string {
    let same = 0;
    while (same < piece.length && same < this.awaited.length && piece[same] === this.awaited[same]) same += 1;
    // What differs ends it: then the white space was not the next answer's.
    this.awaited = same === piece.length ? this.awaited.slice(same) : '';
    return piece.slice(same);
  }
}

/** The `data` of one event, or null for a comment. */
export function dataOf(event: Buffer): string | null {
  const lines = event
    .toString('utf8')
    .split(/\r\n?|\n/)
    .filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n');
}

/** Counts of both; what only one of them has is kept. */
export function addCounts(one: JsonObject, other: JsonObject): JsonObject {
  const sum: JsonObject = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const before = sum[name];
    if (typeof value === 'number' && typeof before === 'number') sum[name] = before + value;
    else if (isObject(value) && isObject(before)) sum[name] = addCounts(before, value);
    else if (value !== null || before === undefined) sum[name] = value;
  }
  return sum;
}

export function objectOf(data: string): JsonObject | null {
  try {
    const value = JSON.parse(data) as unknown;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether an event without the blank line that ends it is whole: some providers leave that out after their last event. */
export function isWholeEvent(event: Buffer): boolean {
  const data = event.length === 0 ? null : dataOf(event);
  return data !== null && (data.trim() === '[DONE]' || objectOf(data) !== null);
}
