import type { AttemptRecord, RoutingEvent } from '@gw/contracts';
import type { RoutingCursor } from '@gw/routing';
import type { Upstream } from '../core/upstream';
import type { GatewayResponse } from './gateway-response';
import type { StreamPace } from './stream-pace';

/** A stream that is being handed on, and that `on_stream_failure: continue` watches. One of the calls ends it. */
export interface OpenStream {
  /** It came to its end. */
  completed(): void;
  /** It broke off, and nothing can go on from what the client has. */
  lost(reason: string): void;
  /** The client left. */
  left(): void;
  /** This response, or what is left of it, does not go to the client. */
  drop(answer: GatewayResponse): void;
  /** The next response cannot go on from the stream, so that `broken` remains the request's response. */
  refuse(next: GatewayResponse, broken: GatewayResponse): void;
  /** It broke off. `done` follows; then `answer` is another stream that goes on from `text`, or the same one as before. */
  goOnFrom(text: string, reason: string, done: () => void): void;
}

type RoutedBy = Pick<RoutingCursor, 'strategyTrail' | 'matchedCondition' | 'routingEvents'>;

/** The attempts that were made for one request. */
export class RequestAttempts {
  readonly records: AttemptRecord[] = [];
  /** Calls to providers so far. */
  calls = 0;
  /** Path of the second call of a route that makes two; null: there was none. */
  followed: string | null = null;
  strategy: readonly string[] = NO_STRATEGY;
  matchedCondition: string | null = null;
  /** What else routing took into account; complete once the attempts are over. */
  events: readonly RoutingEvent[] = NO_EVENTS;
  /** The upstream of the call in flight; null: none, or the response has been picked. */
  requested: Upstream | null = null;
  /** The upstream of the call in flight when the client left before a response was picked. */
  left: Upstream | null = null;
  /** Milliseconds that the request waited for providers before its reply began. */
  waitedMs = 0;
  /** Counted as busy with this request until its response is over; null where no strategy of the config needs that. */
  busyEndpoint: string | null = null;
  /** Of a response that is a stream, where the config has a use for it. */
  pace: StreamPace | null = null;
  /** The provider was sent a request for usage that the client has not requested and must not see. */
  hidesUsage = false;
  /** Set while the response is a stream that another attempt could go on with. */
  openStream: OpenStream | null = null;
  /** What the client has of a stream that broke off, and the next attempt goes on from. */
  partial: string | null = null;

  /** Takes over what routing has decided so far. */
  routedBy({ strategyTrail, matchedCondition, routingEvents }: RoutedBy): void {
    this.strategy = strategyTrail;
    this.matchedCondition = matchedCondition;
    this.events = routingEvents;
  }

  callBegins(upstream: Upstream): void {
    this.requested = upstream;
  }

  /** The endpoint that was busy with the request, which it is no longer; null: none was counted. */
  takeBusyEndpoint(): string | null {
    const endpoint = this.busyEndpoint;
    this.busyEndpoint = null;
    return endpoint;
  }
}

const NO_STRATEGY: readonly string[] = Object.freeze([]);
const NO_EVENTS: readonly RoutingEvent[] = Object.freeze([]);
