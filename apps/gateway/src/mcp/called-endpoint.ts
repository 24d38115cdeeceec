import { GatewayError } from '@gw/kernel';
import type { McpPlace } from '@gw/oauth';
import { assertForTarget } from '../auth/authenticate.stage';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext, Stage } from '../core/request-context';
import { Denied } from './denials';
import type { Endpoint } from './endpoint';
import type { Endpoints } from './endpoints';

export interface CalledEndpointParts {
  readonly accept: Stage;
  readonly authenticate: Stage;
  readonly endpoints: Endpoints;
}

/**
 * Authenticates the caller of a request and finds the endpoint of its address. Returns a promise
 * only when it has to wait, because a body that is read in the same turn as the request's head
 * bypasses the request's stream, which is faster. Throws, or rejects with, `Denied` and
 * `GatewayError`.
 */
export function calledEndpoint(
  { accept, authenticate, endpoints }: CalledEndpointParts,
  context: RequestContext,
  place: McpPlace,
): Endpoint | Promise<Endpoint> {
  const accepted = accept.run(context);
  const authenticated =
    accepted === undefined ? authenticate.run(context) : accepted.then(() => authenticate.run(context));
  const find = (): Endpoint | null | Promise<Endpoint | null> =>
    endpoints.find(context.principal as GatewayPrincipal, place);
  const found = authenticated === undefined ? find() : authenticated.then(find);
  return found instanceof Promise ? found.then(existing) : existing(found);
}

function existing(endpoint: Endpoint | null): Endpoint {
  if (endpoint === null) throw new Denied({ kind: 'server_unknown' }, new GatewayError('not_found'));
  assertForTarget(endpoint.caller.principal, endpoint.id);
  return endpoint;
}
