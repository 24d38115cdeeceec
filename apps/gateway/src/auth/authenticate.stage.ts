import { PORTKEY_HEADER_PREFIX } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { API_RESOURCE_PATH, isAccessTokenForm, resourcePathOf } from '@gw/oauth';
import { tokenRefused } from './access-token-callers';
import type { RefusedKey } from './ended-keys';
import { assertUsable, type GatewayPrincipal, type Principals } from './principals';
import type { RequestContext, Stage } from '../core/request-context';
import type { Route } from '../routes/route-table';

/** Authenticates the caller and checks that its key may use the route. */
export class AuthenticateStage implements Stage {
  constructor(private readonly principals: Principals) {}

  run(context: RequestContext): void | Promise<void> {
    const { apiKey } = context.gw;
    if (apiKey === null || apiKey === '') throw new GatewayError('api_key_missing');
    if (apiKey === context.queryKey && isAccessTokenForm(apiKey)) throw tokenInQuery();
    const principal = this.principals.resolve(apiKey);
    if (principal instanceof Promise) {
      return principal.then(
        (resolved) => this.admitWithProof(context, resolved),
        // Only asynchronous refusals can name the owner of a key, because `Principals` must read
        // documents to find it.
        (error: unknown) => {
          context.refusedKey = refusedKeyOf(error);
          throw error;
        },
      );
    }
    return this.admitWithProof(context, principal);
  }

  private admitWithProof(context: RequestContext, principal: GatewayPrincipal): void | Promise<void> {
    const { apiKey, proof } = context.gw;
    if (principal.boundTo === null && proof === null) {
      this.admit(context, principal);
      return undefined;
    }
    const { req, url: path } = context;
    const request = { token: apiKey ?? '', proof, method: req.method ?? '', path };
    return this.principals.assertProven(principal, request).then(() => {
      this.admit(context, principal);
    });
  }

  private admit(context: RequestContext, principal: GatewayPrincipal): void {
    // Set before any check can refuse the request, so that the log names the key and its workspace.
    context.principal = principal;
    assertForResource(principal, context);
    if (context.gw.isOfPortkey && principal.workspace.acceptsPortkeyHeaders !== true) throw notAccepted();
    assertAllowed(principal, context.route, context.startedWallMs);
  }
}

/**
 * Throws `api_key_invalid` for a token that is for another resource (RFC 8707). Each MCP server,
 * toolset and agent is a resource of its own; their routes are those with the body `rpc`. All other
 * routes are one resource.
 */
function assertForResource({ resource }: GatewayPrincipal, { route, url, query }: RequestContext): void {
  if (resource === null) return;
  const path =
    route.body === 'rpc' ? resourcePathOf(url.slice(0, url.length - query.length)) : API_RESOURCE_PATH;
  if (resource.path !== path) throw tokenRefused();
}

/**
 * Throws `api_key_invalid` unless the token was issued for this target. A new target may have the
 * address of a deleted one, so the id is compared too. `id`: that of the server, toolset or agent;
 * of the workspace at the address of all its MCP servers.
 */
export function assertForTarget({ resource }: GatewayPrincipal, id: string): void {
  if (resource !== null && resource.targetId !== id) throw tokenRefused();
}

const tokenInQuery = (): GatewayError =>
  new GatewayError('validation_failed', {
    param: 'key',
    message: 'Access tokens are not accepted in the query. Send yours as Authorization: Bearer.',
  });

const notAccepted = (): GatewayError =>
  new GatewayError('header_invalid', {
    param: `${PORTKEY_HEADER_PREFIX}api-key`,
    message: `The workspace does not accept ${PORTKEY_HEADER_PREFIX}* headers. Send x-gw-* headers, or set settings.portkey_headers of the workspace to true.`,
  });

/**
 * Throws when the key may not be used at `nowMs` (milliseconds since 1970), or not on this route.
 */
export function assertAllowed(
  principal: GatewayPrincipal,
  { scopes }: Pick<Route, 'scopes'>,
  nowMs: number,
): void {
  assertUsable(principal, nowMs);
  if (scopes.some((scope) => principal.scopes.has(scope))) return;
  throw new GatewayError('scope_missing', {
    message: `The API key needs the scope ${scopes.join(' or ')}.`,
    extra: { required_scopes: scopes },
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` },
  });
}

/** Owner of an organisation key or an ended key, for the log: such a request has no principal. */
const refusedKeyOf = (error: unknown): RefusedKey | null =>
  error instanceof GatewayError
    ? ((error.options.detail?.['refusedKey'] as RefusedKey | null | undefined) ?? null)
    : null;
