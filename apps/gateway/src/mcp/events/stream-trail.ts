import { randomHex } from '@gw/kernel';
import { CODES, eventId, RING_LIMITS, type RequestId } from '@gw/mcp';
import type { EventStore, StreamName } from './event-store';

/** The call that a stream answers. */
export interface StreamedCall {
  readonly id: RequestId;
  readonly method: string;
}

/** Name of the stream of a call, with the gateway that makes it: 32 and 24 hex digits. */
export const callStream = (replica: string): string => `c${replica}${randomHex(12)}`;
export const sessionStream = (): string => `s${randomHex(16)}`;

const CALL = /^c([0-9a-f]{32})[0-9a-f]{24}$/;

/** The gateway that makes the call of a stream; null for the stream of a session, and for a name that is not ours. */
export const replicaOfStream = (stream: string): string | null => CALL.exec(stream)?.[1] ?? null;

/**
 * Numbers the messages of one stream and stores them, so that its client can resume it. The first
 * event says which call the stream answers, for a gateway that must end it in the place of another.
 */
export class StreamTrail {
  constructor(
    private readonly store: EventStore,
    readonly name: StreamName,
    /** Null for the stream of a session. */
    private readonly call: StreamedCall | null,
    /** Number of the last event; 0: the stream has not begun. */
    private number = 0,
  ) {}

  get hasBegun(): boolean {
    return this.number > 0;
  }

  /** Stores the first event and returns its id. */
  begin(): string {
    return this.put(JSON.stringify(this.call), false);
  }

  /** Adds a message and returns the id of its event. */
  add(json: string): string {
    // What does not fit is left out, as are the oldest messages of a long stream.
    return this.put(isTooLarge(json) ? '' : json, false);
  }

  /** The call ended without a response. The stream of a session goes on when its client returns. */
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

/** A client that resumes gets an error in place of a response that is too large to be kept. */
const tooLarge = (call: StreamedCall | null) => ({
  jsonrpc: '2.0',
  id: call?.id ?? null,
  error: {
    code: CODES.internal,
    message: 'The response was sent on a stream that ended, and is too large to be sent again.',
  },
});
