import { parseObject } from '@gw/dialects';
import type { Usage } from '@gw/contracts';
import type { JsonObject, CreatedObject, StreamTap } from '../provider';
import { lastUsageObject } from '../body/usage-object';

/** State of a tap after the bytes read so far. */
export interface TapState {
  complete: boolean;
  failed: boolean;
  /** Indexes of the choices that have a `finish_reason`; null when none has. */
  finished: ReadonlySet<number> | null;
  /** Whether an output part other than a choice has ended and no other has started. */
  partEnded: boolean;
  model: string | null;
  made: CreatedObject | null;
  usage: Usage | null;
  /** Usage of which only the input is final. */
  begun: Usage | null;
  /** The provider's own `usage`, merged over several events if the dialect spreads it. */
  rawUsage: JsonObject;
}

export interface TapEvent {
  /** The `event:` field; empty when absent. */
  readonly name: string;
  /** The `data:` field as the provider sent it, decoded as UTF-8. */
  readonly data: string;
}

/** The differences between dialects: which events matter, and what they mean. */
export interface TapDialect {
  /**
   * Tests raw text (Latin-1, one or more whole events) cheaply. False guarantees that nothing in it
   * matters; true may be wrong, because `apply` decides on the parsed event.
   */
  watches(text: string, state: Readonly<TapState>): boolean;
  apply(event: TapEvent, state: TapState): void;
  /**
   * Handles an event that is too large to hold: `head` is its start, `usage` the last valid `usage`
   * object in its kept end.
   */
  applyOversized(head: string, usage: JsonObject | null, state: TapState): void;
}

/**
 * Maximum bytes of an event held until its end; of a larger one only the last so many bytes are
 * kept.
 */
const EVENT_BYTES_MAX = 65_536;
/** Enough for the `event:` line and the `type` member of an event that is too large to hold. */
const HEAD_BYTES = 512;
/**
 * A rest of up to this many bytes is searched for an end marker or error without its blank line.
 */
const REMAINDER_BYTES_MAX = 4_096;
/** The longest event end, `\n\r\n`, minus the byte that completes it. */
const SEAM_BYTES = 2;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/**
 * Reads server-sent events by their raw bytes.
 * Only whole events that pass the dialect's cheap test are split and parsed; everything else costs
 * one conversion and a few substring searches per chunk. Text is handled as Latin-1, one character
 * per byte, so that a chunk may end inside a UTF-8 character. Holds at most twice
 * `EVENT_BYTES_MAX`.
 */
export class SseTap implements StreamTap {
  private readonly state: TapState = {
    complete: false,
    failed: false,
    finished: null,
    partEnded: false,
    model: null,
    made: null,
    usage: null,
    begun: null,
    rawUsage: {},
  };
  /**
   * The chunks of an event that is not complete; joining them for each chunk would be quadratic.
   */
  private held: string[] = [];
  private heldLength = 0;
  private head: string | null = null;
  private seam = '';

  constructor(private readonly dialect: TapDialect) {}

  write(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    if (this.heldLength === 0 && text.endsWith('\n\n')) {
      this.read(text);
      return;
    }
    const joined = this.seam + text;
    const end = endOfLastEvent(joined);
    if (end === 0) {
      this.hold(text);
      this.seam = joined.slice(-SEAM_BYTES);
      return;
    }
    const events = this.takeHeld() + joined.slice(this.seam.length, end);
    const rest = joined.slice(end);
    this.read(events);
    this.head = null;
    this.hold(rest);
    this.seam = rest.slice(-SEAM_BYTES);
  }

  get complete(): boolean {
    return this.state.complete || (this.isShort() && this.settled().complete);
  }

  get failed(): boolean {
    return this.state.failed || (this.isShort() && this.settled().failed);
  }

  get finishedChoices(): number {
    return this.settled().finished?.size ?? 0;
  }

  get usageMayFollow(): boolean {
    const { finished, partEnded } = this.settled();
    return finished !== null || partEnded;
  }

  get model(): string | null {
    return this.state.model ?? this.settled().model;
  }

  get made(): CreatedObject | null {
    return this.settled().made;
  }

  usage(): Usage | null {
    return this.settled().usage;
  }

  begun(): Usage | null {
    return this.settled().begun;
  }

  /**
   * `complete` and `failed` are read after every chunk, so a long event is not read again each
   * time; end markers and errors are short.
   */
  private isShort(): boolean {
    return this.heldLength > 0 && this.heldLength <= REMAINDER_BYTES_MAX;
  }

  /**
   * Returns the state as if the stream ended here, because some providers omit the blank line after
   * their last event.
   */
  private settled(): Readonly<TapState> {
    if (this.heldLength === 0) return this.state;
    const state = { ...this.state };
    this.readInto(this.held.join(''), state);
    return state;
  }

  private read(events: string): void {
    this.readInto(events, this.state);
  }

  private readInto(events: string, state: TapState): void {
    let text = events;
    if (this.head !== null) {
      const end = endOfFirstEvent(text);
      this.dialect.applyOversized(
        this.head,
        lastUsageObject(Buffer.from(text.slice(0, end), 'latin1')),
        state,
      );
      text = text.slice(end);
    }
    if (!this.dialect.watches(text, state)) return;
    for (const event of text.replace(/\r\n?/g, '\n').split('\n\n')) {
      if (this.dialect.watches(event, state)) this.dialect.apply(readEvent(event), state);
    }
  }

  private hold(text: string): void {
    if (text === '') return;
    this.held.push(text);
    this.heldLength += text.length;
    if (this.heldLength <= 2 * EVENT_BYTES_MAX) return;
    const all = this.held.join('');
    this.head ??= all.slice(0, HEAD_BYTES);
    this.held = [all.slice(-EVENT_BYTES_MAX)];
    this.heldLength = EVENT_BYTES_MAX;
  }

  private takeHeld(): string {
    const text = this.held.join('');
    this.held = [];
    this.heldLength = 0;
    return text;
  }
}

/** Returns the index after the last blank line; 0 when there is none. */
function endOfLastEvent(text: string): number {
  const lineFeeds = text.lastIndexOf('\n\n');
  let end = lineFeeds < 0 ? 0 : lineFeeds + 2;
  if (!text.includes('\r')) return end;
  const mixed = text.lastIndexOf('\n\r\n');
  if (mixed >= 0) end = Math.max(end, mixed + 3);
  const returns = text.lastIndexOf('\r\r');
  if (returns >= 0) end = Math.max(end, returns + 2);
  return end;
}

function endOfFirstEvent(text: string): number {
  const blank = /\n\r?\n|\r\r/.exec(text);
  return blank === null ? text.length : blank.index + blank[0].length;
}

function readEvent(event: string): TapEvent {
  let name = '';
  const data: string[] = [];
  for (const raw of event.split('\n')) {
    const line = raw.startsWith(BYTE_ORDER_MARK) ? raw.slice(BYTE_ORDER_MARK.length) : raw;
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) name = line.slice(6).trim();
  }
  return { name, data: Buffer.from(data.join('\n'), 'latin1').toString('utf8') };
}

/**
 * Returns whether a key that ends in `key` (including its closing quote) has a non-null value
 * anywhere in the text.
 */
export function hasValue(text: string, key: string): boolean {
  let at = text.indexOf(key);
  while (at >= 0) {
    let next = at + key.length;
    while (text[next] === ' ' || text[next] === ':') next += 1;
    if (text[next] !== 'n') return true;
    at = text.indexOf(key, next);
  }
  return false;
}

/** Returns the event's JSON object, or null. */
export const eventObject = (event: TapEvent): JsonObject | null => parseObject(event.data);
