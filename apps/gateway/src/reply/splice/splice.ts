import type { Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/**
 * Joins several responses into one stream of a client dialect: the events of the first response
 * stay unchanged, and the events of its continuations are adapted to them.
 */
export interface Splice {
  /** Returns a whole event as the client receives it; null: the event is dropped. */
  event(event: Buffer): Buffer | null;
  /** True once the end mark has passed. */
  readonly complete: boolean;
  /** True if the provider has sent an error event, which the client does not receive. */
  readonly failed: boolean;
  /**
   * Returns the text that another response can continue, without white space at its end. Null: it
   * cannot be continued.
   */
  partial(): string | null;
  /** Continues with another response. `used` is the known usage of the previous one. */
  continueWithNext(used: Usage | null): void;
}

/**
 * Maximum characters of a response that can be continued, because its text must be kept in memory.
 */
const TEXT_LENGTH_MAX = 262_144;

/** The text that the client has received. */
export class PartialText {
  private pieces: string[] = [];
  private length = 0;
  /** White space that the client has received but that the continuation was not sent. */
  private awaited = '';
  /** False: the text is too long, or the response contains something other than text. */
  continuable = true;

  /** Returns the part of `piece` that the client does not have. */
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

  /**
   * Returns the text without trailing white space, because some providers refuse a beginning that
   * ends in it.
   */
  read(): string | null {
    return this.continuable ? this.pieces.join('').trimEnd() : null;
  }

  continueWithNext(): void {
    const text = this.pieces.join('');
    this.pieces = [text];
    this.awaited = text.slice(text.trimEnd().length);
  }

  private withoutAwaited(piece: string): string {
    let same = 0;
    while (same < piece.length && same < this.awaited.length && piece[same] === this.awaited[same]) same += 1;
    // A difference ends the comparison: the continuation did not repeat the white space.
    this.awaited = same === piece.length ? this.awaited.slice(same) : '';
    return piece.slice(same);
  }
}

/** Returns the `data` of one event, or null for a comment. */
export function dataOf(event: Buffer): string | null {
  const lines = event
    .toString('utf8')
    .split(/\r\n?|\n/)
    .filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n');
}

/**
 * Adds the numbers of two usage objects member by member; a member that only one of them has is
 * kept.
 */
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

/**
 * Whether an event without its final blank line is complete: some providers omit that line after
 * their last event.
 */
export function isWholeEvent(event: Buffer): boolean {
  const data = event.length === 0 ? null : dataOf(event);
  return data !== null && (data.trim() === '[DONE]' || objectOf(data) !== null);
}
