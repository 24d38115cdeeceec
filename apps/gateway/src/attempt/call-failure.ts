import { GatewayError } from '@gw/kernel';
import type { OutboundError, UnreachableReason } from '@gw/outbound';
import type { RequestContext } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import { gatewayStopping } from './broken-response';

const NO_RESPONSE = 'The provider could not be reached.';

/**
 * Messages for callers and the log. They hold no address, which may be another tenant's or the
 * operator's.
 */
const UNREACHABLE: Readonly<Record<Exclude<UnreachableReason, 'connections_exhausted'>, string>> = {
  name_not_resolved: 'The provider could not be reached: its host name could not be resolved.',
  connection_refused: 'The provider could not be reached: it refused the connection.',
  host_unreachable: 'The provider could not be reached: there is no network route to it.',
  tls_failed:
    'The provider could not be reached: the TLS handshake failed; its certificate may not be valid.',
  proxy_failed: 'The provider could not be reached: the proxy in between did not open a connection.',
  connection_closed:
    'The provider closed the connection without a response; it may have received the request.',
  reused_connection_closed:
    'The provider closed a reused connection without a response; it may have received the request.',
};

const NOT_HANDED_ON =
  'The gateway does not return it, because a client would follow it and send its gateway key along. The gateway itself follows redirects only for GET and ' +
  'HEAD within the same origin. Set custom_host and the path to the address that the redirect leads to.';

const TIMED_OUT: Readonly<Record<NonNullable<OutboundError['phase']>, string>> = {
  connect: 'The provider did not accept the connection in time.',
  headers: 'The provider did not send response headers in time.',
  idle: 'The provider stopped in the middle of its response.',
  total: 'The provider did not complete its response in time.',
};

/** The error for the caller when a provider call brought no usable response. */
export function failureOf(error: OutboundError, context: RequestContext, upstream: Upstream): GatewayError {
  const provider = upstream.provider.id;
  switch (error.failure) {
    case 'refused':
      return new GatewayError('custom_host_refused', { detail: { reason: error.message }, cause: error });
    case 'timeout':
      return timeoutOf(error, context, upstream);
    case 'unreachable':
      return unreachableOf(error, provider);
    case 'interrupted':
      return new GatewayError('provider_answer_invalid', {
        message: `The provider sent a response that could not be read: ${error.message}`,
        extra: { provider },
        cause: error,
      });
    case 'redirected':
      return new GatewayError('provider_redirect', {
        message: `${error.message} ${NOT_HANDED_ON}`,
        extra: { provider },
        cause: error,
      });
    case 'stopped':
      return gatewayStopping(error);
    case 'aborted':
      // No client receives it; the log shows the message.
      return new GatewayError('internal_error', { message: error.message, cause: error });
  }
}

function timeoutOf(error: OutboundError, context: RequestContext, upstream: Upstream): GatewayError {
  const provider = upstream.provider.id;
  const chosen = context.gw.requestTimeoutMs ?? upstream.target.requestTimeoutMs;
  if (chosen !== null && error.phase !== 'connect') {
    return new GatewayError('request_timeout', {
      message: `The request exceeded its request_timeout of ${String(chosen)} ms.`,
      extra: { provider },
    });
  }
  const phase = error.phase ?? 'total';
  return new GatewayError('provider_timeout', {
    message: TIMED_OUT[phase],
    extra: { provider, reason: `${phase}_timeout` },
    cause: error,
  });
}

function unreachableOf(cause: OutboundError, provider: string): GatewayError {
  const { reason } = cause;
  if (reason === 'connections_exhausted') {
    return new GatewayError('provider_connections_exhausted', {
      extra: { provider },
      headers: { 'retry-after': '1' },
      cause,
    });
  }
  return new GatewayError('provider_unreachable', {
    message: reason === null ? NO_RESPONSE : UNREACHABLE[reason],
    extra: { provider, ...(reason !== null && { reason }) },
    cause,
  });
}
