import { OutboundError, type UnreachableReason } from './types';

/** What a broken connection means to the caller. */
export function connectionBroke(cause: Error | null, answerBegan: boolean): OutboundError {
  const options = cause ? { cause } : {};
  return answerBegan
    ? new OutboundError('interrupted', 'The connection broke before the answer was complete.', null, options)
    : new OutboundError('unreachable', 'The connection broke before the answer began.', null, {
        ...options,
        reason: 'connection_closed',
      });
}

/** The peer closed a connection that had carried a call before, and answered nothing on it this time. */
export const reusedConnectionClosed = (cause: Error | null): OutboundError =>
  new OutboundError('unreachable', 'The provider closed a reused connection without an answer.', null, {
    ...(cause && { cause }),
    reason: 'reused_connection_closed',
  });

/** What a connection that could not be opened means to the caller. */
export function connectFailed(cause: unknown, isTls: boolean): OutboundError {
  const code = (cause as NodeJS.ErrnoException).code;
  const reason = reasonOf(code, isTls);
  return new OutboundError(
    'unreachable',
    `The connection failed (${code ?? (cause as Error).message}).`,
    null,
    {
      cause,
      ...(reason && { reason }),
    },
  );
}

const REFUSED: ReadonlySet<string> = new Set(['ECONNREFUSED']);
const NO_WAY: ReadonlySet<string> = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);
/** Codes of OpenSSL's verification of certificates, and of Node's own check of the name. */
const TLS_CODE = /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO$)/;

/** A TLS connection that the peer closes or resets is one whose handshake has failed: the TCP connection was made. */
function reasonOf(code: string | undefined, isTls: boolean): UnreachableReason | null {
  if (code === undefined) return isTls ? 'tls_failed' : null;
  if (REFUSED.has(code)) return 'connection_refused';
  if (NO_WAY.has(code)) return 'host_unreachable';
  if (TLS_CODE.test(code)) return 'tls_failed';
  return isTls && code === 'ECONNRESET' ? 'tls_failed' : null;
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

export const clientIsClosed = (): OutboundError => new OutboundError('stopped', 'The client is closed.');

export const bodyBroke = (cause?: Error): OutboundError =>
  new OutboundError('aborted', 'The request body broke off.', null, cause ? { cause } : {});

/** All connections to the origin were in use for as long as the call might wait. */
export const noConnectionFree = (waitedMs: number): OutboundError =>
  new OutboundError('unreachable', `No connection came free within ${String(waitedMs)} ms.`, null, {
    reason: 'connections_exhausted',
  });
