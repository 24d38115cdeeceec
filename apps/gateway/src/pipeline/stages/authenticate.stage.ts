import { GatewayError } from '@gw/kernel';
import type { RefusedKey } from '../../state/ended-keys';
import { assertUsable, type Principal, type Principals } from '../../state/principals';
import type { Exchange, Stage } from '../exchange';
import type { Route } from '../../routes/route-table';

/** Who calls, and may they use this route at all. */
export class AuthenticateStage implements Stage {
  constructor(private readonly principals: Principals) {}

  run(exchange: Exchange): void | Promise<void> {
    const { apiKey } = exchange.gw;
    if (apiKey === null || apiKey === '') throw new GatewayError('api_key_missing');
    const principal = this.principals.resolve(apiKey);
    if (principal instanceof Promise) {
      return principal.then(
        (resolved) => this.admit(exchange, resolved),
        (error: unknown) => {
          exchange.refusedKey = refusedKeyOf(error);
          throw error;
        },
      );
    }
    this.admit(exchange, principal);
    return undefined;
  }

  private admit(exchange: Exchange, principal: Principal): void {
    // Before anything is refused, so that the log names the key and its workspace.
    exchange.principal = principal;
    assertAllowed(principal, exchange.route, exchange.startedWallMs);
  }
}

/** Throws when a key may not be used now, or not on this route. */
export function assertAllowed(principal: Principal, { scopes }: Pick<Route, 'scopes'>, nowMs: number): void {
  assertUsable(principal, nowMs);
  if (scopes.some((scope) => principal.scopes.has(scope))) return;
  throw new GatewayError('scope_missing', {
    message: `The API key needs the scope ${scopes.join(' or ')}.`,
    extra: { required_scopes: scopes },
  });
}

/** A request with the key of an organisation, or with one that has ended, has no principal, but its log names the owner. */
const refusedKeyOf = (error: unknown): RefusedKey | null =>
  error instanceof GatewayError
    ? ((error.options.detail?.['refusedKey'] as RefusedKey | null | undefined) ?? null)
    : null;
