import { randomHex } from '@gw/kernel';
import { CODES, eventId, RING_LIMITS, type RequestId } from '@gw/mcp';
import type { EventStore, StreamName } from './event-store';

/** The call whose response a stream carries. */
export interface StreamedCall {
  readonly id: RequestId;
  readonly method: string;
}

/**
 * Returns a new name for the stream of a call. It contains the id of the gateway that runs the
 * call: 32 hex digits, followed by 24 random ones.
 */
export const callStream = (replica: string): string => `c${replica}${randomHex(12)}`;
export const sessionStream = (): string => `s${randomHex(16)}`;

const CALL_STREAM = /^c([0-9a-f]{32})[0-9a-f]{24}$/;

/**
 * Returns the gateway that runs the call of a stream; null for the stream of a session, and for a
 * name that no gateway created.
 */
export const replicaOfStream = (stream: string): string | null => CALL_STREAM.exec(stream)?.[1] ?? null;

/**
 * Numbers the messages of one stream and stores them, so that its client can resume it. The first
 * event names the call of the stream, so that another gateway can end the stream when this one
 * dies.
 */
export class StreamTrail {
  constructor(
    private readonly store: EventStore,
    readonly name: StreamName,
    /** Null for the stream of a session. */
    private readonly call: StreamedCall | null,
    /** Number of the last event; 0 when the stream has not begun. */
    private number = 0,
  ) {}

  get hasBegun(): boolean {
    return this.number > 0;
  }

  /** Stores the first event and returns its id. */
  begin(): string {
    return this.put(JSON.stringify(this.call), false);
  }

  /** Keeps the stored events, because more will follow. */
  keep(): void {
    if (this.hasBegun) this.store.keep(this.name);
  }

  /** Adds a message and returns the id of its event. */
  add(json: string): string {
    // A message that is too large is not stored, like the oldest messages of a long stream.
    return this.put(isTooLarge(json) ? '' : json, false);
  }

  /**
   * Records that the call ended without a response. The stream of a session stays open for its
   * client.
   */
  abandon(): void {
    if (this.call !== null) this.put('', true);
  }

  /** Adds the last message and returns the id of its event. */
  finish(json: string): string {
    return this.put(isTooLarge(json) ? JSON.stringify(tooLarge(this.call)) : json, true);
  }

  private put(json: string, isLast: boolean): string {
    this.number += 1;
    this.store.add(this.name, { number: this.number, json }, isLast);
    return eventId(this.name.stream, this.number);
  }
}

const isTooLarge = (json: string): boolean => json.length > RING_LIMITS.charactersMax;

/**
 * Returns the error that a resuming client receives in place of a response that is too large to be
 * stored.
 */
const tooLarge = (call: StreamedCall | null) => ({
  jsonrpc: '2.0',
  id: call?.id ?? null,
  error: {
    code: CODES.internal,
    message: 'The response was sent on a stream that ended, and is too large to be sent again.',
  },
});
