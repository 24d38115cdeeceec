import {
  denialError,
  denialState,
  policyBuckets,
  type Bucket,
  type AdmissionOutcome,
  type PolicySubject,
  type Reservation,
} from '@gw/limits';
import type { ProviderDocument } from '@gw/contracts';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import { limitsOf } from './request-limits';
import type { GatewayPrincipal } from '../auth/principals';
import type { CallerLimits } from './caller-limits';
import { endpointTypesOf } from './endpoint-types';
import { targetBuckets } from './target-limits';

/** Returns the reservation. Throws the denial as the caller sees it. */
export function admitted(context: RequestContext, outcome: AdmissionOutcome): Reservation {
  if (outcome.admitted) return outcome;
  limitsOf(context).refuse(denialState(outcome));
  throw denialError(outcome);
}

export function bucketsOfRequest(context: RequestContext, limits: CallerLimits): readonly Bucket[] {
  const { buckets, perRequest } = limits;
  if (perRequest.length === 0) return buckets;
  const more = policyBuckets(perRequest, 'llm', subjectOf(context));
  return more.length === 0 ? buckets : [...buckets, ...more];
}

/**
 * Returns the buckets of the saved provider, then those of policies whose conditions depend on the
 * provider.
 */
export function bucketsOfAttempt(context: RequestContext, upstream: Upstream): readonly Bucket[] {
  const { saved } = upstream;
  const own = saved === null ? NONE : targetBuckets(saved);
  const policies = (context.principal as GatewayPrincipal).limits?.perAttempt;
  if (policies === undefined || policies.length === 0) return own;
  const more = policyBuckets(policies, 'llm', { ...subjectOf(context), ...partOf(upstream) });
  return more.length === 0 ? own : [...own, ...more];
}

/** Whether no limit applies to the caller at a saved provider. */
export const isWithoutLimits = ({ limits }: GatewayPrincipal, saved: ProviderDocument): boolean =>
  limits === null && targetBuckets(saved).length === 0;

function subjectOf({
  principal,
  metadata,
  configSource,
  configId,
  prompt,
  route,
}: RequestContext): PolicySubject {
  const { key, workspace } = principal as GatewayPrincipal;
  return {
    apiKey: key.id,
    workspaceId: workspace.id,
    organisationId: workspace.organisationId,
    metadata,
    config:
      configSource.slug === null || configId === null ? null : { slug: configSource.slug, id: configId },
    prompt: prompt?.record ?? null,
    endpointTypes: endpointTypesOf(route),
  };
}

const partOf = ({ saved, provider, model }: Upstream): Partial<PolicySubject> => ({
  virtualKey: saved === null ? null : { slug: saved.slug, id: saved.id },
  provider: provider.id,
  model,
  modelProvider: saved?.slug ?? provider.id,
});

const NONE: readonly Bucket[] = [];
