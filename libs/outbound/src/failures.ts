import { OutboundError } from './types';

/** What a broken connection means to the caller. */
export function connectionBroke(cause: Error | null, answerBegan: boolean): OutboundError {
  const options = cause ? { cause } : {};
  return answerBegan
    ? new OutboundError('interrupted', 'The connection broke before the answer was complete.', null, options)
    : new OutboundError('unreachable', 'The connection broke before the answer began.', null, options);
}

/** True when the peer closed a connection, as it may do to an idle one at any time. */
export function isClosedByPeer(error: Error | null): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return error === null || code === 'ECONNRESET' || code === 'EPIPE';
}

/** A handler that throws gives up its call. */
export function handlerThrew(cause: unknown): OutboundError {
  if (cause instanceof OutboundError) return cause;
  return new OutboundError('interrupted', 'The answer could not be taken in.', null, { cause });
}

export const bodyBroke = (cause?: Error): OutboundError =>
  new OutboundError('aborted', 'The request body broke off.', null, cause ? { cause } : {});
