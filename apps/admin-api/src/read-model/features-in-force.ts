import { createHash } from 'node:crypto';
import type { ReadModelDocument, WorkspaceDocument } from '@gw/contracts';
import type { AdminSettings } from '../settings';

export type EnforcedFeatures = Pick<AdminSettings, 'USAGE_LIMITS_ENABLED' | 'POLICY_ENABLED'>;

/**
 * The document without what a feature that is off would enforce. Gateways enforce what documents say and nothing else, so that
 * a switch of the control plane holds for all of them. Budgets that were used up before are no obstacle, either.
 */
export function inForce(document: ReadModelDocument, features: EnforcedFeatures): ReadModelDocument {
  const { USAGE_LIMITS_ENABLED: usage, POLICY_ENABLED: policies } = features;
  if (usage && policies) return document;
  const version = createHash('sha256')
    .update(JSON.stringify([document.version, usage, policies]))
    .digest('base64url')
    .slice(0, 22);
  switch (document.kind) {
    case 'api_key':
    case 'provider':
      if (usage) return document;
      return {
        ...document,
        version,
        usageLimits: [],
        status: document.status === 'exhausted' ? 'active' : document.status,
      };
    case 'workspace':
      return {
        ...withoutPolicies(document, features),
        version,
        usageLimits: usage ? document.usageLimits : [],
      };
    case 'organisation':
    case 'config':
    case 'prompt':
    case 'prompt_version':
      return document;
  }
}

function withoutPolicies(document: WorkspaceDocument, features: EnforcedFeatures): WorkspaceDocument {
  const { policies, ...rest } = document;
  const { USAGE_LIMITS_ENABLED: usage, POLICY_ENABLED: enabled } = features;
  if (!enabled || !policies) return rest;
  return { ...rest, policies: usage ? policies : { ...policies, usageLimits: [] } };
}
