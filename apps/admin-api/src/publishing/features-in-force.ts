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
 * Returns the document without the parts of disabled features. Gateways enforce only what documents
 * contain, so one switch of the control plane applies to all gateways. Exhausted budgets then no
 * longer block requests.
 */
export function inForce(document: ReadModelDocument, features: EnforcedFeatures): ReadModelDocument {
  const { GUARDRAILS_ENABLED: guardrails, USAGE_LIMITS_ENABLED: usage, POLICY_ENABLED: policies } = features;
  if ([guardrails, usage, policies].every(Boolean)) return document;
  if (document.kind === 'api_key' || document.kind === 'provider') return budgeted(document, features);
  if (document.kind === 'workspace') return workspaceInForce(document, features);
  return isGuarded(document) ? guarded(document, features) : document;
}

type Guarded = OrganisationDocument | ConfigDocument | GuardrailDocument;
type Other = Exclude<ReadModelDocument, ApiKeyDocument | ProviderDocument | WorkspaceDocument>;

/** Whether documents of a kind contain guardrails. */
const IS_GUARDED: Readonly<
  Record<Guarded['kind'], true> & Record<Exclude<Other['kind'], Guarded['kind']>, false>
> = {
  ...{ organisation: true, config: true, guardrail: true },
  ...{ mcp_server: false, mcp_toolset: false, mcp_catalogue: false, mcp_connection: false },
  ...{ agent_server: false, agent_catalogue: false, card_key: false },
  ...{ access_token: false, oauth_grant: false, user: false, signing_key: false },
  ...{ ended_api_key: false, prompt: false, prompt_version: false, trusts: false, workspace_slug: false },
};

const isGuarded = (document: Other): document is Guarded => IS_GUARDED[document.kind];

/**
 * Returns a version that depends on the switches, because gateways recognise a changed document by
 * its version.
 */
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

/**
 * Returns the document with disabled guardrails: a guardrail that is still referenced stays,
 * without any enabled check.
 */
function guarded(document: Guarded, features: EnforcedFeatures): ReadModelDocument {
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
