import { createHash } from 'node:crypto';
import type {
  ApiKeyDocument,
  ConfigDocument,
  GuardrailDocument,
  OrganisationDocument,
  ProviderDocument,
  ReadModelDocument,
  WorkspaceDocument,
} from '@gw/contracts';
import { withoutGuardrails } from '../platform/rows/config-guardrails';
import type { AdminSettings } from '../settings';

export type EnforcedFeatures = Pick<
  AdminSettings,
  'GUARDRAILS_ENABLED' | 'USAGE_LIMITS_ENABLED' | 'POLICY_ENABLED'
>;

/**
 * The document without what a feature that is off would enforce. Gateways enforce what documents say and nothing else, so that
 * a switch of the control plane holds for all of them. Budgets that were used up before are no obstacle, either.
 */
export function inForce(document: ReadModelDocument, features: EnforcedFeatures): ReadModelDocument {
  const { GUARDRAILS_ENABLED: guardrails, USAGE_LIMITS_ENABLED: usage, POLICY_ENABLED: policies } = features;
  if ([guardrails, usage, policies].every(Boolean)) return document;
  switch (document.kind) {
    case 'api_key':
    case 'provider':
      return budgeted(document, features);
    case 'workspace':
      return workspaceInForce(document, features);
    case 'organisation':
    case 'config':
    case 'guardrail':
      return guarded(document, features);
    case 'ended_api_key':
    case 'prompt':
    case 'prompt_version':
      return document;
  }
}

/** Another one for other switches: gateways take a document for new by its version. */
const versionOf = (document: ReadModelDocument, features: EnforcedFeatures): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        document.version,
        features.USAGE_LIMITS_ENABLED,
        features.POLICY_ENABLED,
        features.GUARDRAILS_ENABLED,
      ]),
    )
    .digest('base64url')
    .slice(0, 22);

function budgeted<T extends ApiKeyDocument | ProviderDocument>(document: T, features: EnforcedFeatures): T {
  if (features.USAGE_LIMITS_ENABLED) return document;
  const status = document.status === 'exhausted' ? 'active' : document.status;
  return { ...document, version: versionOf(document, features), usageLimits: [], status };
}

function workspaceInForce(document: WorkspaceDocument, features: EnforcedFeatures): WorkspaceDocument {
  const { guardrails, ...defaults } = document.defaults;
  return {
    ...withoutPolicies(document, features),
    version: versionOf(document, features),
    usageLimits: features.USAGE_LIMITS_ENABLED ? document.usageLimits : [],
    defaults: features.GUARDRAILS_ENABLED && guardrails ? { ...defaults, guardrails } : defaults,
  };
}

function withoutPolicies(document: WorkspaceDocument, features: EnforcedFeatures): WorkspaceDocument {
  const { policies, ...rest } = document;
  const { USAGE_LIMITS_ENABLED: usage, POLICY_ENABLED: enabled } = features;
  if (!enabled || !policies) return rest;
  return { ...rest, policies: usage ? policies : { ...policies, usageLimits: [] } };
}

/** A guardrail that something still names is found, and has nothing to do. */
function guarded(
  document: OrganisationDocument | ConfigDocument | GuardrailDocument,
  features: EnforcedFeatures,
): ReadModelDocument {
  if (features.GUARDRAILS_ENABLED) return document;
  const version = versionOf(document, features);
  switch (document.kind) {
    case 'organisation': {
      const { guardrails: _off, ...rest } = document;
      return { ...rest, version };
    }
    case 'config':
      return { ...document, version, config: withoutGuardrails(document.config as object) };
    case 'guardrail':
      return {
        ...document,
        version,
        checks: document.checks.map((check) => ({ ...check, is_enabled: false })),
      };
  }
}
