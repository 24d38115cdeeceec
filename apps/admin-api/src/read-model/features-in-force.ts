import { createHash } from 'node:crypto';
import type { ApiKeyDocument, ProviderDocument, ReadModelDocument, WorkspaceDocument } from '@gw/contracts';
import type { AdminSettings } from '../settings';

export type EnforcedFeatures = Pick<AdminSettings, 'USAGE_LIMITS_ENABLED' | 'POLICY_ENABLED'>;

/**
 * The document without what a feature that is off would enforce. Gateways enforce what documents say and nothing else, so that
 * a switch of the control plane holds for all of them. Budgets that were used up before are no obstacle, either.
 */
export function inForce(document: ReadModelDocument, features: EnforcedFeatures): ReadModelDocument {
  const { USAGE_LIMITS_ENABLED: usage, POLICY_ENABLED: policies } = features;
  if (usage && policies) return document;
  switch (document.kind) {
    case 'api_key':
    case 'provider':
      return usage ? document : withoutBudget(document, features);
    case 'workspace':
      return {
        ...withoutPolicies(document, features),
        version: versionOf(document, features),
        usageLimits: usage ? document.usageLimits : [],
      };
    case 'organisation':
    case 'config':
    case 'guardrail':
    case 'prompt':
    case 'prompt_version':
      return document;
  }
}

/** Another one for other switches: gateways take a document for new by its version. */
const versionOf = (document: ReadModelDocument, features: EnforcedFeatures): string =>
  createHash('sha256')
    .update(JSON.stringify([document.version, features.USAGE_LIMITS_ENABLED, features.POLICY_ENABLED]))
    .digest('base64url')
    .slice(0, 22);

const withoutBudget = <T extends ApiKeyDocument | ProviderDocument>(
  document: T,
  features: EnforcedFeatures,
): T => ({
  ...document,
  version: versionOf(document, features),
  usageLimits: [],
  status: document.status === 'exhausted' ? 'active' : document.status,
});

function withoutPolicies(document: WorkspaceDocument, features: EnforcedFeatures): WorkspaceDocument {
  const { policies, ...rest } = document;
  const { USAGE_LIMITS_ENABLED: usage, POLICY_ENABLED: enabled } = features;
  if (!enabled || !policies) return rest;
  return { ...rest, policies: usage ? policies : { ...policies, usageLimits: [] } };
}
