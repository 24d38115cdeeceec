import { GatewayError } from '@gw/kernel';
import type { OutboundError, UnreachableReason } from '@gw/outbound';
import type { RequestContext } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import { gatewayStopping } from './broken-response';

const NO_RESPONSE = 'The provider could not be reached.';

/** For callers and the log: no addresses, which may be another tenant's or the operator's. */
const UNREACHABLE: Readonly<Record<Exclude<UnreachableReason, 'connections_exhausted'>, string>> = {
  name_not_resolved: 'The provider could not be reached: its host name could not be resolved.',
  connection_refused: 'The provider could not be reached: it refused the connection.',
  host_unreachable: 'The provider could not be reached: there is no network route to it.',
  tls_failed:
    'The provider could not be reached: the TLS handshake failed; its certificate may not be valid.',
  proxy_failed: 'The provider could not be reached: the proxy in between did not open a connection.',
  connection_closed:
    'The provider closed the connection without an answer; it may have received the request.',
  reused_connection_closed:
    'The provider closed a reused connection without an answer; it may have received the request.',
};

const NOT_HANDED_ON =
  'The gateway does not hand it on, since a client would follow it with its gateway key, and follows one itself only for GET and ' +
  'HEAD within the same origin. Set the address of the provider (custom_host) and the path to where it leads.';

const TIMED_OUT: Readonly<Record<NonNullable<OutboundError['phase']>, string>> = {
  connect: 'The provider did not accept the connection in time.',
  headers: 'The provider did not begin to answer in time.',
  idle: 'The provider stopped in the middle of its answer.',
  total: 'The provider did not answer in time.',
};

/** The error for a caller when a provider gave no answer at all. */
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
        message: `The provider sent an answer that could not be read: ${error.message}`,
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
      return new GatewayError('internal_error', { cause: error });
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
