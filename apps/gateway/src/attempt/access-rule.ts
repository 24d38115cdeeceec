import { GatewayError } from '@gw/kernel';
import { isWithoutLimits } from '../limits/admission';
import type { Principal } from '../auth/principals';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';

/**
 * Throws for a request that would get its caller access to a saved provider past this gateway. Callers with a provider key of their own
 * have that access already. `isAllowed`: `ALLOW_CLIENT_SECRETS`, which counts only where nothing limits, judges or must record the request.
 */
export function refuseAccess(context: RequestContext, { saved }: Upstream, isAllowed: boolean): void {
  const { route, upgrade, guardrails } = context;
  if (!route.handsOutAccess || saved === null || upgrade !== null) return;
  const principal = context.principal as Principal;
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
  'This path hands out access to the provider that does not pass through this gateway: no limit, guardrail or log would see its use. ' +
  'Open the session here, at GET /v1/realtime with the gateway key, or bring a provider key of your own.';
const LIMITED =
  'It is allowed here only where no limit, policy, guardrail, list of models or strict audit applies to the request.';
