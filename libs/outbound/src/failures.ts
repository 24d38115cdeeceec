import { OutboundError, type UnreachableReason } from './types';

/** Returns the error of a call whose connection broke. */
export function connectionBroke(cause: Error | null, responseBegan: boolean): OutboundError {
  const options = cause ? { cause } : {};
  return responseBegan
    ? new OutboundError(
        'interrupted',
        'The connection broke before the response was complete.',
        null,
        options,
      )
    : new OutboundError('unreachable', 'The connection broke before the response began.', null, {
        ...options,
        reason: 'connection_closed',
      });
}

/** Returns the error of a call whose reused connection the peer closed without a response. */
export const reusedConnectionClosed = (cause: Error | null): OutboundError =>
  new OutboundError('unreachable', 'The provider closed a reused connection without a response.', null, {
    ...(cause && { cause }),
    reason: 'reused_connection_closed',
  });

/** Returns the error of a connection that could not be opened. */
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
const UNREACHABLE: ReadonlySet<string> = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);
/** Codes of certificate verification in OpenSSL, and of the host name check in Node.js. */
const TLS_CODE = /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO$)/;

/**
 * Returns the reason of a failed connection. If the peer closes or resets a TLS connection, the
 * handshake has failed, because TCP was already connected.
 */
function reasonOf(code: string | undefined, isTls: boolean): UnreachableReason | null {
  if (code === undefined) return isTls ? 'tls_failed' : null;
  if (REFUSED.has(code)) return 'connection_refused';
  if (UNREACHABLE.has(code)) return 'host_unreachable';
  if (TLS_CODE.test(code)) return 'tls_failed';
  return isTls && code === 'ECONNRESET' ? 'tls_failed' : null;
}

/** Returns whether the peer closed a connection, as it may close an idle one at any time. */
export function isClosedByPeer(error: Error | null): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return error === null || code === 'ECONNRESET' || code === 'EPIPE';
}

/** Returns the error of a call whose handler has thrown. */
export function handlerThrew(cause: unknown): OutboundError {
  if (cause instanceof OutboundError) return cause;
  return new OutboundError('interrupted', 'The response could not be processed.', null, { cause });
}

export const clientIsClosed = (): OutboundError => new OutboundError('stopped', 'The client is closed.');

export const bodyBroke = (cause?: Error): OutboundError =>
  new OutboundError('aborted', 'The request body broke off.', null, cause ? { cause } : {});

/**
 * Returns the error of a call that found all connections to the origin in use until its connect
 * timeout.
 */
export const noConnectionFree = (waitedMs: number): OutboundError =>
  new OutboundError('unreachable', `No connection came free within ${String(waitedMs)} ms.`, null, {
    reason: 'connections_exhausted',
  });
