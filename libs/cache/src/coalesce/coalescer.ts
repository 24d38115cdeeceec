import type { OutboundCall, OutboundHandler } from '@gw/outbound';
import { Flight, type FlightBounds, type StartCall } from './flight';

export interface CoalescerOptions extends Partial<FlightBounds> {
  /** Maximum number of calls that others may join; further requests make their own call. */
  readonly flightsMax?: number;
  /**
   * Maximum number of requests that share one call, including the first; further ones make their
   * own call.
   */
  readonly membersMax?: number;
  /**
   * Maximum bytes held by all flights. Beyond it no flight can be joined, and members that are far
   * behind lose their response.
   */
  readonly bytesMax?: number;
}

/** A request's own handle of a call, shared or not. */
export interface SharedCall extends OutboundCall {
  /**
   * Whether the provider call counts as this request's, which then pays for it and records its
   * usage. Read it when the request ends.
   */
  readonly isOwner: boolean;
}

const DEFAULTS = {
  flightsMax: 10_000,
  membersMax: 1_000,
  bytesMax: 67_108_864,
  recordBytesMax: 1_048_576,
  behindBytesMax: 1_048_576,
  behindBytesUnderPressure: 65_536,
  takeoversMax: 1,
};

/**
 * Lets identical requests in flight share one provider call within this process.
 * Headers and chunks reach every member as they arrive; a late member first gets the earlier ones.
 * The response is shared whatever its status, so the members' retries share a call again.
 */
export class Coalescer {
  private readonly flights = new Map<string, Flight>();
  private readonly bounds: typeof DEFAULTS;
  private held = 0;

  constructor(options: CoalescerOptions = {}) {
    this.bounds = { ...DEFAULTS, ...options };
  }

  /** Number of calls that can be joined now. */
  get open(): number {
    return this.flights.size;
  }

  /** Bytes held by all flights. */
  get bytes(): number {
    return this.held;
  }

  /**
   * Joins or starts a call. `key` identifies the request including its tenant (`cacheKey`). `start`
   * is called synchronously for a new call, later when this member repeats a failed call, or never.
   */
  join(key: string, handler: OutboundHandler, start: StartCall): SharedCall {
    const { flightsMax, membersMax, bytesMax } = this.bounds;
    const known = this.flights.get(key);
    if (known !== undefined && known.size < membersMax) return known.join(handler, start);
    if (known !== undefined || this.flights.size >= flightsMax || this.held >= bytesMax) {
      return alone(start(handler, () => handler));
    }
    const flight = new Flight(this.bounds, this.controlOf(key));
    this.flights.set(key, flight);
    return flight.join(handler, start);
  }

  private controlOf(key: string) {
    const isFull = (): boolean => this.held > this.bounds.bytesMax;
    return {
      account: (bytes: number): void => {
        this.held += bytes;
      },
      get underPressure(): boolean {
        return isFull();
      },
      close: (): void => {
        this.flights.delete(key);
      },
    };
  }
}

const alone = (call: OutboundCall): SharedCall => ({
  isOwner: true,
  pause: () => {
    call.pause();
  },
  resume: () => {
    call.resume();
  },
  abort: () => {
    call.abort();
  },
});
