import type { ApiKeyDocument, RateLimitRule, UsageLimitRule, WorkspaceDocument } from '@gw/contracts';
import {
  budgetBucket,
  compileRatePolicy,
  compileUsagePolicy,
  policyBuckets,
  PolicyValues,
  rateBucket,
  type Bucket,
  type BucketOwner,
  type CompiledPolicy,
} from '@gw/limits';

/** The limits of a caller's LLM requests, computed when its key or token is resolved. */
export interface CallerLimits {
  /**
   * Limits of the key, of the workspace, and of policies that apply to all requests of the caller.
   */
  readonly buckets: readonly Bucket[];
  /** Policies whose conditions or groups depend on the request. */
  readonly perRequest: readonly CompiledPolicy[];
  /** Policies whose conditions or groups depend on the provider or the model of an attempt. */
  readonly perAttempt: readonly CompiledPolicy[];
}

/** Returns the limits of a caller; null if it has none. */
export function callerLimits(key: ApiKeyDocument, workspace: WorkspaceDocument): CallerLimits | null {
  const { organisationId: tenant } = workspace;
  const policies = policiesOf(workspace).filter(({ target }) => target === 'llm');
  const subject = {
    apiKey: key.id,
    workspaceId: workspace.id,
    organisationId: tenant,
    metadata: {},
  };
  const limits: CallerLimits = {
    buckets: [
      ...bucketsOf({ tenant, scope: 'api_key', id: key.limitsId ?? key.id }, key, key.limitsId !== undefined),
      ...bucketsOf({ tenant, scope: 'workspace', id: workspace.id }, workspace),
      ...policyBuckets(known(policies, 'caller'), 'llm', subject),
    ],
    perRequest: known(policies, 'request'),
    perAttempt: known(policies, 'attempt'),
  };
  const { buckets, perRequest, perAttempt } = limits;
  return buckets.length + perRequest.length + perAttempt.length === 0 ? null : limits;
}

interface Rules {
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
}

/**
 * Returns the buckets of an owner's budgets and rate limits. With `bySchedule`, budgets that are
 * reset at different times have separate counters, because each token names its own schedule.
 */
export const bucketsOf = (
  owner: BucketOwner,
  { rateLimits, usageLimits }: Rules,
  bySchedule = false,
): readonly Bucket[] => [
  ...usageLimits.map((rule) =>
    budgetBucket(bySchedule ? { ...owner, group: scheduleOf(rule) } : owner, rule),
  ),
  ...rateLimits.map((rule) => rateBucket(owner, rule)),
];

const scheduleOf = ({ periodicReset, periodicResetDays }: UsageLimitRule): string =>
  periodicReset ?? (periodicResetDays === null ? 'once' : `${String(periodicResetDays)}d`);

/** Bounds the policy values of this process; a value uses about 40 bytes. */
export const policyValues = new PolicyValues({ perPolicy: 100_000, total: 1_000_000 });

const compiled = new WeakMap<WorkspaceDocument, readonly CompiledPolicy[]>();

/**
 * Returns the policies of a workspace, compiled once for each version of its document, so that all
 * its keys share the buckets of a policy.
 */
function policiesOf(workspace: WorkspaceDocument): readonly CompiledPolicy[] {
  const { policies, organisationId } = workspace;
  if (!policies) return NONE;
  let made = compiled.get(workspace);
  if (!made) {
    made = [
      ...policies.usageLimits.map((policy) => compileUsagePolicy(organisationId, policy, policyValues)),
      ...policies.rateLimits.map((policy) => compileRatePolicy(organisationId, policy, policyValues)),
    ];
    compiled.set(workspace, made);
  }
  return made;
}

/** Returns the policies of a workspace for calls of MCP tools. */
export const toolPolicies = (workspace: WorkspaceDocument): readonly CompiledPolicy[] =>
  policiesOf(workspace).filter(({ target }) => target === 'mcp_tools');

const known = (
  policies: readonly CompiledPolicy[],
  when: CompiledPolicy['known'],
): readonly CompiledPolicy[] => policies.filter((policy) => policy.known === when);

const NONE: readonly CompiledPolicy[] = [];
