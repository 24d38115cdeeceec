import {
  A2aError,
  callOf,
  checkCall,
  errorVersion,
  methodOf,
  readRestBody,
  readRpcRequest,
  restParams,
  restVersion,
  VERSION_HEADER,
  type AgentRoute,
  type CheckedCall,
  type RpcRequest,
  type VersionSignals,
} from '@gw/a2a';
import { GatewayError } from '@gw/kernel';
import { replaceLoggedBody } from '../bodies/logged-body';
import type { RequestContext } from '../core/request-context';
import { paramsWithoutSecrets } from './push/without-secrets';
import type { AgentDestination } from './agent-destination';
import { restForm, rpcForm, type ResponseForm } from './response-form';

type CallRoute = Extract<AgentRoute, { kind: 'rpc' | 'rest' }>;

/** Returns the places of a request that may name its A2A version. */
export function signalsOf({ req, query }: RequestContext): VersionSignals {
  const header = req.headers[VERSION_HEADER];
  const named = [...new URLSearchParams(query)].find(([name]) => name.toLowerCase() === VERSION_HEADER);
  return { header: Array.isArray(header) ? header[0] : header, query: named?.[1] };
}

/** Returns the response form for errors of a request that was not read yet. */
export function firstForm(route: AgentDestination, context: RequestContext): ResponseForm {
  const signals = signalsOf(context);
  if (route.kind === 'catalogue') return restForm('1.0');
  if (route.kind !== 'rest') return rpcForm(null, errorVersion(null, signals));
  return restForm(route.version ?? (hasVersion(signals) ? errorVersion(null, signals) : '1.0'));
}

const hasVersion = ({ header, query }: VersionSignals): boolean =>
  [header, query].some((text) => typeof text === 'string' && text.trim() !== '');

/**
 * Reads the call of a received request. `formed` is called with the response form as soon as that
 * is known. Throws `A2aError`, or a `GatewayError` for a content type other than JSON.
 */
export function readCall(
  route: CallRoute,
  context: RequestContext,
  formed: (form: ResponseForm) => void,
): CheckedCall {
  const call = route.kind === 'rpc' ? rpcCall(context, formed) : restCall(route, context, formed);
  hideSecrets(context, call, route);
  assertNoTenant(call, route);
  return call;
}

function rpcCall(context: RequestContext, formed: (form: ResponseForm) => void): CheckedCall {
  assertJson(context);
  const signals = signalsOf(context);
  const request: RpcRequest = readRpcRequest(context.body);
  formed(rpcForm(request.id, errorVersion(request.method, signals)));
  return checkCall(callOf(request, signals));
}

function restCall(
  route: Extract<AgentRoute, { kind: 'rest' }>,
  context: RequestContext,
  formed: (form: ResponseForm) => void,
): CheckedCall {
  const version = restVersion(route, signalsOf(context));
  formed(restForm(version));
  if (context.body.length > 0) assertJson(context);
  const query = new URLSearchParams(context.query);
  const body = readRestBody(context.body);
  const params = restParams(route, version, { body, query });
  return checkCall({ version, operation: route.operation, params });
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

function assertJson({ req }: RequestContext): void {
  const type = req.headers['content-type'];
  if (type !== undefined && !JSON_TYPE.test(type))
    throw new GatewayError('content_type_unsupported', {
      param: 'content-type',
      message: 'Send the request as application/json or application/a2a+json.',
    });
}

/** Replaces the logged body when it contains secrets of push configs. */
function hideSecrets(context: RequestContext, call: CheckedCall, { kind }: CallRoute): void {
  const params = paramsWithoutSecrets(call);
  if (params === null) return;
  const shown =
    kind === 'rpc' ? { jsonrpc: '2.0', method: methodOf(call.operation, call.version), params } : params;
  replaceLoggedBody(context, Buffer.from(JSON.stringify(shown)));
}

/**
 * Throws when a call names a tenant of the agent. The integration sets the tenant, so that no
 * caller can reach another one.
 */
function assertNoTenant({ params }: CheckedCall, route: CallRoute): void {
  const { tenant } = params;
  const isNamed =
    (tenant !== undefined && tenant !== null && tenant !== '') ||
    ('tenant' in route && route.tenant !== null);
  if (isNamed)
    throw new A2aError('invalidParams', 'tenant must not be set; agents of this gateway have none.');
}
