import type { AttemptRecord, RoutingEvent } from '@gw/contracts';
import type { RoutingCursor } from '@gw/routing';
import type { Upstream } from '../core/upstream';
import type { GatewayResponse } from './gateway-response';
import type { StreamPace } from './stream-pace';

/**
 * A stream that is being forwarded under `on_stream_failure: continue`. Exactly one of `completed`,
 * `lost` and `left` ends it.
 */
export interface OpenStream {
  /** The stream is complete. */
  completed(): void;
  /** The stream broke off, and no attempt can continue what the client has. */
  lost(reason: string): void;
  /** The client disconnected. */
  clientLeft(): void;
  /** Discards this response, or the rest of it; it does not go to the client. */
  drop(response: GatewayResponse): void;
  /**
   * Rejects the next response, because it cannot continue the stream; `broken` remains the
   * request's response.
   */
  refuse(next: GatewayResponse, broken: GatewayResponse): void;
  /**
   * Looks for another stream that continues `text`, because the current one broke off. Calls `done`
   * when that stream has become the response, or when there is none and the response is unchanged.
   */
  continueFrom(text: string, reason: string, done: () => void): void;
}

type RoutedBy = Pick<RoutingCursor, 'strategyTrail' | 'matchedCondition' | 'routingEvents'>;

/**
 * A call that a client's disconnect cut. `isFree`: it is charged to another request, which shares
 * it.
 */
export interface CutCall {
  readonly upstream: Upstream;
  readonly isFree: boolean;
}

/** The attempts made for one request. */
export class RequestAttempts {
  readonly records: AttemptRecord[] = [];
  /** Number of provider calls so far. */
  calls = 0;
  /** Path of the second call of a route that makes two; null when there was none. */
  followed: string | null = null;
  strategy: readonly string[] = NO_STRATEGY;
  matchedCondition: string | null = null;
  /** Other facts that routing considered; complete once the attempts have ended. */
  events: readonly RoutingEvent[] = NO_EVENTS;
  /** The upstream of the call in flight; null when there is none or the response was chosen. */
  requested: Upstream | null = null;
  /**
   * The upstream of the call that was in flight when the client disconnected before a response was
   * chosen.
   */
  cutUpstream: Upstream | null = null;
  /** The other call of a hedged pair at that time; null when there was none. */
  cutHedgeCall: CutCall | null = null;
  /** Milliseconds that the request waited for providers before its reply began. */
  waitedMs = 0;
  /**
   * The endpoint that counts as busy with this request until its response ends; null when the
   * config does not measure load.
   */
  busyEndpoint: string | null = null;
  /** Measures the response when it is a stream and the config needs that; otherwise null. */
  pace: StreamPace | null = null;
  /**
   * The request to the provider asks for usage that the client did not request and must not see.
   */
  hidesUsage = false;
  /** Set while the response is a stream that another attempt could continue. */
  openStream: OpenStream | null = null;
  /**
   * Text that the client has received of a stream that broke off; the next attempt continues it.
   */
  partial: string | null = null;

  /** Copies the routing decisions made so far. */
  routedBy({ strategyTrail, matchedCondition, routingEvents }: RoutedBy): void {
    this.strategy = strategyTrail;
    this.matchedCondition = matchedCondition;
    this.events = routingEvents;
  }

  /**
   * Adds the record of a call that is not an attempt of a config, such as a call of an MCP server.
   */
  addRecord(record: AttemptRecord): void {
    this.records.push(record);
  }

  callBegins(upstream: Upstream): void {
    this.requested = upstream;
  }

  /** Returns and clears the busy endpoint; null when none was counted. */
  takeBusyEndpoint(): string | null {
    const endpoint = this.busyEndpoint;
    this.busyEndpoint = null;
    return endpoint;
  }
}

const NO_STRATEGY: readonly string[] = Object.freeze([]);
const NO_EVENTS: readonly RoutingEvent[] = Object.freeze([]);
