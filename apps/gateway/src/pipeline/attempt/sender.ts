import { Buffer } from 'node:buffer';
import { GatewayError } from '@gw/kernel';
import type { OutboundCall, OutboundClient, OutboundError, OutboundHandler } from '@gw/outbound';
import { Answer, type HeadListener, type Upstream } from '../answer';
import type { Exchange } from '../exchange';
import { playLocal } from './local-transport';
import type { BuiltRequest } from './request-builder';

/** Told once what became of an attempt, never before `send` has returned. */
export interface AttemptListener extends HeadListener {
  /** A call is under way, and `answer` is how it can be given up. Again for each call of an attempt that needs several. */
  begun(answer: Answer): void;
  /** Set where the call must be one of its own: it may not wait for another request's like it. */
  readonly isApart?: boolean;
  /** The attempt could not be made. */
  refused(thrown: unknown): void;
}

/** Sends one attempt. */
export interface AttemptSender {
  /** Tells the listener of the answer's head, or of an answer that holds the error. May throw instead of telling. */
  send(exchange: Exchange, upstream: Upstream, built: BuiltRequest, listener: AttemptListener): void;
}

/** Sends an attempt as an HTTP call. */
export class Sender implements AttemptSender {
  constructor(private readonly outbound: OutboundClient) {}

  send(exchange: Exchange, upstream: Upstream, built: BuiltRequest, listener: AttemptListener): void {
    const answer = new Answer(upstream, listener);
    answer.call = this.call(exchange, upstream, built, answer);
    listener.begun(answer);
  }

  /** The call alone, reported to `handler`, which is told nothing before this has returned. */
  call(
    { metadata }: Pick<Exchange, 'metadata'>,
    { provider: { local } }: Upstream,
    { request }: BuiltRequest,
    handler: OutboundHandler,
  ): OutboundCall {
    if (local === undefined) return this.outbound.dispatch(request, handler);
    const { method, path, body } = request;
    const bytes = Buffer.isBuffer(body) ? body : EMPTY;
    return playLocal(local.answer({ method, path, body: bytes, metadata }), handler);
  }
}

/** For senders that need an answer before they can go on. */
export const sent = (
  sender: AttemptSender,
  exchange: Exchange,
  upstream: Upstream,
  built: BuiltRequest,
  listener: AttemptListener,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const begun = (answer: Answer): void => listener.begun(answer);
    sender.send(exchange, upstream, built, { begun, answered: resolve, refused: reject });
  });

/** Tells a listener what a promise brings. */
export function tellLater(answer: Promise<Answer>, listener: AttemptListener): void {
  answer.then(
    (given) => listener.answered(given),
    (thrown: unknown) => listener.refused(thrown),
  );
}

const EMPTY = Buffer.alloc(0);

/** What a caller is told when a provider gave no answer at all. */
export function failureOf(error: OutboundError, exchange: Exchange, upstream: Upstream): GatewayError {
  const provider = upstream.provider.id;
  switch (error.failure) {
    case 'refused':
      return new GatewayError('custom_host_refused', { detail: { reason: error.message }, cause: error });
    case 'timeout': {
      const chosen = exchange.gw.requestTimeoutMs ?? upstream.target.requestTimeoutMs;
      return chosen !== null && error.phase !== 'connect'
        ? new GatewayError('request_timeout', {
            message: `The request exceeded its request_timeout of ${String(chosen)} ms.`,
            extra: { provider },
          })
        : new GatewayError('provider_timeout', { extra: { provider }, cause: error });
    }
    case 'unreachable':
      if (error.reason === 'connections_exhausted')
        return new GatewayError('provider_connections_exhausted', {
          extra: { provider },
          headers: { 'retry-after': '1' },
          cause: error,
        });
      return new GatewayError('provider_unreachable', { extra: { provider }, cause: error });
    case 'interrupted':
      return new GatewayError('provider_answer_invalid', {
        message: `The provider sent an answer that could not be read: ${error.message}`,
        extra: { provider },
        cause: error,
      });
    case 'aborted':
      return new GatewayError('internal_error', { cause: error });
  }
}
