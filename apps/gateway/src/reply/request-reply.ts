import { performance } from 'node:perf_hooks';
import type { Usage } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';
import type { CreatedObject } from '@gw/providers';
import type { OutcomeFacts } from '../core/outcome';
import type { SessionPart } from '../realtime/metering/session-meter';
import type { BatchOutput } from '../usage/use';

/** Writes the response of one request; `Reply` implements it. */
export interface ReplyWriter {
  /** Chunks kept for usage and log. */
  readonly kept: readonly Buffer[];
  readonly keptBytes: number;
  readonly truncated: boolean;
  /** Breaks the connection. */
  break(): void;
}

/** Reads the usage and the model of a response after it has passed. */
export interface Meter {
  usage(): Usage | null;
  model(): string | null;
  /** The body, or its beginning if it was not kept whole; null: it is not JSON. */
  body?(): Buffer | null;
  /** For the output of a batch. */
  output?(): BatchOutput | null;
  /** For a stream: the object that it created. */
  made?(): CreatedObject | null;
  /** For a stream without its end: the usage that it reported at its start. */
  begun?(): Usage | null;
  /** For a session: the additional parts to charge if the session ends now. */
  rest?(): readonly SessionPart[];
  /** For a stream: true if a part of the output has ended, so that usage may follow. */
  finished?(): boolean;
  /** Resolves when usage and model can be read; absent if they are known at once. Never rejects. */
  prepare?(): Promise<void>;
}

/** The response of one request as its client receives it, and how it ended. */
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

  /** Marks the response as a stream. */
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

  /** A response that no client receives was read completely. */
  read(status: number, bytes: number): void {
    this.status = status;
    this.bytes = bytes;
  }

  /** The gateway failed to deliver the response. */
  fail(error: GatewayError): void {
    this.failure = error;
  }

  /**
   * The response broke, or the gateway ended it early. `error`: what the client receives about it; null:
   * nothing.
   */
  cut(error: GatewayError | null): void {
    this.isCut = true;
    if (error !== null) this.failure = error;
  }

  clientLeft(): void {
    this.hasClientLeft = true;
  }

  /** A rule ended the session. */
  deny(): void {
    this.isDenied = true;
  }

  /** The response is an error of the provider. */
  providerFailed(): void {
    this.isProviderError = true;
  }
}
