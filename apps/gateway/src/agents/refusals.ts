import { A2aError, type GatewayProblem } from '@gw/a2a';
import { GatewayError } from '@gw/kernel';
import { resourceMetadataUrl } from '../auth/public-address';
import type { RequestContext } from '../core/request-context';
import type { CallReply } from '../reply/call-reply';
import { AgentDenied } from './denials';
import type { ResponseForm, WrittenResponse } from './response-form';

export interface RefusalParts {
  /** URL of this gateway for clients; when null, it is derived from the request. */
  readonly publicUrl: string | null;
}

/** The request that is refused. */
export interface Refused {
  readonly context: RequestContext;
  readonly reply: CallReply;
  readonly form: ResponseForm;
  /** Path of the agent, which is the resource of OAuth tokens. */
  readonly resourcePath: string;
}

/** Sends the response to a refused request, in the client's binding and A2A version. */
export function refuse(
  parts: RefusalParts,
  failure: A2aError | AgentDenied | GatewayError,
  { context, reply, form, resourcePath }: Refused,
): void {
  if (failure instanceof A2aError) {
    reply.failed(faultLogged(failure));
    send(reply, form.failure(failure));
    return;
  }
  if (failure instanceof AgentDenied) {
    const { logged, retryAfterMs } = failure;
    if (logged === null) context.reply.providerFailed();
    else {
      reply.failed(logged);
      reply.isRecorded = true;
    }
    send(reply, form.failure(failure.failure), retryHeaders(retryAfterMs));
    return;
  }
  reply.failed(failure);
  // Requests that fail before their operation runs are logged, like requests to models.
  reply.isRecorded = true;
  const url = resourceMetadataUrl(parts.publicUrl, context, resourcePath);
  send(reply, form.failure(problemOf(failure), failure.status), {
    ...failure.options.headers,
    ...challengeOf(failure, url),
  });
}

const send = (
  reply: CallReply,
  { json, status, headers, event }: WrittenResponse,
  more: Readonly<Record<string, string>> = {},
): void => reply.end(json, status, { ...headers, ...more }, event);

const retryHeaders = (retryAfterMs: number | null): Readonly<Record<string, string>> =>
  retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };

const problemOf = ({ status, message, type }: GatewayError): GatewayProblem => ({
  code: status >= 500 ? -32_603 : -32_600,
  ...{ status, message, type, facts: {} },
});

const UNAUTHENTICATED: ReadonlySet<string> = new Set([
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
]);

/**
 * Returns the `www-authenticate` header with which OAuth clients find the authorization server (RFC
 * 9728) and the scope that they need (RFC 6750).
 */
function challengeOf({ type }: GatewayError, url: string): Readonly<Record<string, string>> {
  const resource = `resource_metadata="${url}"`;
  if (type === 'scope_missing')
    return {
      'www-authenticate': `Bearer error="insufficient_scope", scope="agents.invoke", ${resource}`,
    };
  if (!UNAUTHENTICATED.has(type)) return {};
  const error = type === 'api_key_missing' ? '' : 'error="invalid_token", ';
  return { 'www-authenticate': `Bearer ${error}${resource}` };
}

/** Returns the error that the log stores for a request that the gateway refuses. */
function faultLogged({ kind, message, status }: A2aError): GatewayError {
  if (kind === 'invalidAgentResponse') return new GatewayError('provider_answer_invalid', { message });
  return new GatewayError(status === 404 ? 'not_found' : 'request_malformed', { message });
}
