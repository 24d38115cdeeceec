import { GatewayError } from '@gw/kernel';
import { isWithoutLimits } from '../limits/admission';
import type { GatewayPrincipal } from '../auth/principals';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';

/**
 * Throws when a request would give its caller access to a saved provider that bypasses this
 * gateway. Callers with their own provider key have that access already. `isAllowed` is the setting
 * `ALLOW_CLIENT_SECRETS`, which has an effect only when no limit, guardrail or strict audit applies
 * to the request.
 */
export function refuseAccess(context: RequestContext, { saved }: Upstream, isAllowed: boolean): void {
  const { route, upgrade, guardrails } = context;
  if (!route.handsOutAccess || saved === null || upgrade !== null) return;
  const principal = context.principal as GatewayPrincipal;
  const isFree =
    guardrails === null &&
    !principal.strictAudit &&
    saved.allowAllModels &&
    saved.models.every(({ enabled }) => enabled) &&
    isWithoutLimits(principal, saved);
  if (isAllowed && isFree) return;
  throw new GatewayError('feature_disabled', {
    message: `${WHY} ${isAllowed ? LIMITED : 'An operator may allow it with ALLOW_CLIENT_SECRETS=on where no limit or guardrail applies.'}`,
    extra: { provider: `@${saved.slug}` },
  });
}

const WHY =
  'This path hands out access to the provider that bypasses this gateway: no limit, guardrail or log would see its use. ' +
  'Open the session through GET /v1/realtime with the gateway key, or send your own provider key.';
const LIMITED =
  'It is allowed here only if no limit, policy, guardrail, model list or strict audit applies to the request.';
