import { OutboundError } from './types';

/** undici codes of answers that are not valid HTTP, whatever part of them has arrived. */
const INVALID_ANSWER_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

/** undici codes of request bodies that broke off or are longer or shorter than they said. */
const BROKEN_BODY_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_ABORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** What an error of undici, the socket or a handler means to the caller. */
export function toOutboundError(error: unknown, answerBegan: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const options = { cause: error };
  const { code = '', name = '' } = error as { code?: unknown; name?: string };
  const text = typeof code === 'string' ? code : '';
  if (BROKEN_BODY_CODES.has(text))
    return new OutboundError('aborted', 'The request body broke off.', null, options);
  if (name === 'HTTPParserError' || INVALID_ANSWER_CODES.has(text)) {
    return new OutboundError('interrupted', 'The answer is not valid HTTP.', null, options);
  }
  if (name === 'InvalidArgumentError' || name === 'NotSupportedError') {
    return new OutboundError('unreachable', 'The request cannot be sent as HTTP/1.1.', null, options);
  }
  return answerBegan
    ? new OutboundError('interrupted', 'The connection broke before the answer was complete.', null, options)
    : new OutboundError('unreachable', 'The connection broke before the answer began.', null, options);
}

/** True when the peer closed a connection, as it may do to an idle one at any time. */
export function isClosedByPeer(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** True when the body of an answer is longer or shorter than its content-length. */
export function isLengthMismatch(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}
