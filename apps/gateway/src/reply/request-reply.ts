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
  /**
   * Gives up a response of which nothing was written, so that another one can replace it. Returns
   * false when it has begun.
   */
  withdraw(): boolean;
  /**
   * Replaces the response by an error, or cuts it when its head was sent, because its request could
   * not be settled. Returns what sends the rest; call it once the log record is durable.
   */
  replaceBy(error: GatewayError): () => void;
}

/** Reads the usage and the model of a response after it has passed. */
export interface Meter {
  usage(): Usage | null;
  model(): string | null;
  /** The body, or its beginning if it was not kept whole; null: it is not JSON. */
  body?(): Buffer | null;
  /** For the output of a batch: the summed usage and cost of its lines. */
  output?(): BatchOutput | null;
  /** For a stream: the object that it created. */
  createdObject?(): CreatedObject | null;
  /** For a stream without its end: the usage that it reported at its start. */
  initialUsage?(): Usage | null;
  /** For a session: the additional parts to charge if the session ends now. */
  unchargedParts?(): readonly SessionPart[];
  /** For a stream: true if a part of the output has ended, so that usage may follow. */
  usageMayFollow?(): boolean;
  /** Resolves when usage and model can be read; absent if they are known at once. Never rejects. */
  prepare?(): Promise<void>;
}

/** The response to one request as the client receives it, and how it ended. */
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

  /** Records that the client was upgraded to a WebSocket. */
  upgraded(meter: Meter): void {
    this.status = 101;
    this.streamed = true;
    this.meter = meter;
  }

  sent(bytes: number): void {
    this.firstByteAt ??= performance.now();
    this.bytes += bytes;
  }

  /** Records a response that was read completely and that no client receives. */
  read(status: number, bytes: number): void {
    this.status = status;
    this.bytes = bytes;
  }

  /** Records that the gateway failed to deliver the response. */
  fail(error: GatewayError): void {
    this.failure = error;
  }

  /** Records that an error replaces a response that was not sent. `bytes`: those of its body. */
  replacedBy(error: GatewayError, bytes: number): void {
    this.failure = error;
    this.status = error.status;
    this.bytes = bytes;
  }

  /**
   * Records that the response broke off, or that the gateway ended it early. `error` is the error
   * that the client receives; null when it receives none.
   */
  cut(error: GatewayError | null): void {
    this.isCut = true;
    if (error !== null) this.failure = error;
  }

  /** Records the exception that ended the response, unless its client had left before. */
  brokenBy(error: GatewayError): void {
    if (this.hasClientLeft) this.fail(error);
    else this.cut(error);
  }

  clientLeft(): void {
    this.hasClientLeft = true;
  }

  /** Records that a rule ended the session. */
  deny(): void {
    this.isDenied = true;
  }

  /** Records that the response is an error of the provider. */
  providerFailed(): void {
    this.isProviderError = true;
  }
}
