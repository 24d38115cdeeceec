import { performance } from 'node:perf_hooks';
import type { Usage } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';
import type { CreatedObject } from '@gw/providers';
import type { OutcomeFacts } from '../core/outcome';
import type { SessionPart } from '../realtime/metering/session-meter';
import type { BatchOutput } from '../usage/use';

/** Writes the response of one request; `Reply` implements it. */
export interface ReplyWriter {
  /** Pieces kept for usage and log. */
  readonly kept: readonly Buffer[];
  readonly keptBytes: number;
  readonly truncated: boolean;
  /** Breaks the connection. */
  break(): void;
}

/** Reads the usage and the model of a response once it has gone by. */
export interface Meter {
  usage(): Usage | null;
  model(): string | null;
  /** The body as text, or its beginning where it was not kept whole; null: it is no JSON. */
  body?(): Buffer | null;
  /** Of a batch's output. */
  output?(): BatchOutput | null;
  /** Of a stream. */
  made?(): CreatedObject | null;
  /** Of a stream whose end was not seen: what it said of its input. */
  begun?(): Usage | null;
  /** Of a session: what it is charged beyond what was charged already, if it ends now. */
  rest?(): readonly SessionPart[];
  /** Of a stream: a part of the output has ended, so that its usage may follow. */
  finished?(): boolean;
  /** Where there is something to wait for before the two are known. Never rejects. */
  prepare?(): Promise<void>;
}

/** The response of one request as its client gets it, and how it ended. */
export class RequestReply implements OutcomeFacts {
  /** Null: no response has begun. */
  writer: ReplyWriter | null = null;
  status = 0;
  streamed = false;
  firstByteAt: number | null = null;
  /** Bytes of the body, or of a session's messages to the client. */
  bytes = 0;
  meter: Meter | null = null;
  failure: GatewayError | null = null;
  isCut = false;
  hasClientLeft = false;
  isDenied = false;
  isProviderError = false;

  /** The response is a stream. */
  streams(): void {
    this.streamed = true;
  }

  meteredBy(meter: Meter | null): void {
    this.meter = meter;
  }

  /** The client is upgraded to a WebSocket. */
  upgraded(meter: Meter): void {
    this.status = 101;
    this.streamed = true;
    this.meter = meter;
  }

  sent(bytes: number): void {
    this.firstByteAt ??= performance.now();
    this.bytes += bytes;
  }

  /** A response that no client gets was read whole. */
  read(status: number, bytes: number): void {
    this.status = status;
    this.bytes = bytes;
  }

  /** Something went wrong on our side of the response. */
  fail(error: GatewayError): void {
    this.failure = error;
  }

  /** The response broke off, or the gateway ends it. `error`: what the client receives of it; null: nothing. */
  cut(error: GatewayError | null): void {
    this.isCut = true;
    if (error !== null) this.failure = error;
  }

  clientLeft(): void {
    this.hasClientLeft = true;
  }

  /** A rule ends a session. */
  deny(): void {
    this.isDenied = true;
  }

  /** The response is an error of the provider. */
  providerFailed(): void {
    this.isProviderError = true;
  }
}
