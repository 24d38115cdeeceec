import { createHash } from 'node:crypto';
import type {
  ApiKeyDocument,
  ConfigDocument,
  EndedApiKeyDocument,
  IntegrationLimits,
  OrganisationDocument,
  ProviderDocument,
  ProviderModel,
  RateLimitPolicyRule,
  ReadModelDocument,
  UsageLimitPolicyRule,
  WorkspaceDocument,
} from '@gw/contracts';
import type {
  ApiKeyEntity,
  ApiKeySecretEntity,
  EndedApiKey,
  ConfigEntity,
  ConfigVersionEntity,
  IntegrationEntity,
  IntegrationModelEntity,
  OrganisationDefaults,
  OrganisationEntity,
  OrganisationPropertiesEntity,
  ProviderEntity,
  RateLimitPolicyEntity,
  UsageLimitPolicyEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { policyRateRule, policyUsageRule, rateLimitRules, usageLimitRules } from '@gw/entities';
import { mcpAccessOf } from '../platform/rows/key-mcp-access';
import type { ProviderCredential } from '../platform/credentials/credentials.service';

export type Unversioned<T> = Omit<T, 'version'>;

/**
 * Adds the version, a digest of the content, so that it changes exactly when the document does.
 * `sealed` stands for a sealed member, since sealing the same secret again gives another text.
 */
export function versioned<T extends ReadModelDocument>(content: Unversioned<T>, sealed = ''): T {
  const digest = createHash('sha256').update(JSON.stringify(content)).update(sealed).digest('base64url');
  return { ...content, version: digest.slice(0, 22) } as T;
}

/**
 * Builds the document of an API key. `scopes` are those in force, which may be fewer than the
 * stored ones.
 */
export const apiKeyDocument = (
  key: ApiKeyEntity,
  secret: ApiKeySecretEntity,
  scopes: readonly string[],
): ApiKeyDocument => {
  const mcp = mcpAccessOf(key.mcp);
  return versioned<ApiKeyDocument>({
    kind: 'api_key',
    id: key.id,
    name: key.name,
    type: key.type,
    organisationId: key.organisationId,
    workspaceId: key.workspaceId,
    userId: key.userId,
    scopes,
    status: key.status,
    expiresAt: earlier(key.expiresAt, secret.expiresAt),
    rateLimits: rateLimitRules(key.rateLimits),
    usageLimits: usageLimitRules(key.usageLimits, key.lastResetAt),
    defaults: {
      metadata: key.defaultMetadata ?? {},
      config: key.defaultConfigId,
      allowConfigOverride: key.allowConfigOverride,
    },
    ...(mcp && { mcp }),
  });
};

export const endedApiKeyDocument = ({ apiKeyId, organisationId }: EndedApiKey): EndedApiKeyDocument =>
  versioned<EndedApiKeyDocument>({ kind: 'ended_api_key', id: apiKeyId, organisationId });

export const organisationDocument = (
  organisation: OrganisationEntity,
  properties: OrganisationPropertiesEntity | null,
): OrganisationDocument =>
  versioned<OrganisationDocument>({
    kind: 'organisation',
    id: organisation.id,
    name: organisation.name,
    status: organisation.status,
    blockInlineConfig: organisation.dataPlaneSecuritySettings.block_inline_config ?? false,
    logBodies: organisation.settings.debug_log !== 0,
    ...strictAuditOf(organisation.settings),
    requestMetadataSchema: properties?.requestMetadataSchema ?? null,
    ...guardrailsOf(organisation.defaults),
  });

/**
 * Builds a workspace's document from its own settings; the gateway also applies the organisation's
 * restrictions.
 */
export const workspaceDocument = (
  workspace: WorkspaceEntity,
  defaultConfigId: string | null,
  policies: WorkspacePolicies,
  guardrailExclusions: readonly ('input' | 'output')[],
): WorkspaceDocument =>
  versioned<WorkspaceDocument>({
    kind: 'workspace',
    id: workspace.id,
    slug: workspace.slug,
    name: workspace.name,
    organisationId: workspace.organisationId,
    status: workspace.status,
    blockInlineConfig: workspace.dataPlaneSecuritySettings.block_inline_config ?? false,
    logBodies: workspace.settings.debug_log !== 0,
    ...strictAuditOf(workspace.settings),
    ...dialectsOf(workspace.settings),
    rateLimits: rateLimitRules(workspace.rateLimits),
    usageLimits: usageLimitRules(workspace.usageLimits, workspace.lastResetAt),
    ...policiesOf(policies),
    defaults: {
      metadata: workspace.defaults.metadata ?? {},
      config: defaultConfigId,
      userKeyConfig: workspace.defaults.user_api_key_config ?? null,
      ...guardrailsOf(workspace.defaults),
    },
    guardrailExclusions,
  });

const guardrailsOf = ({
  input_guardrails: input = [],
  output_guardrails: output = [],
}: OrganisationDefaults): Pick<OrganisationDocument, 'guardrails'> =>
  input.length === 0 && output.length === 0 ? {} : { guardrails: { input, output } };

/** The active policies of one workspace. */
export interface WorkspacePolicies {
  readonly usageLimits: readonly UsageLimitPolicyEntity[];
  readonly rateLimits: readonly RateLimitPolicyEntity[];
  /** Times at which single values were reset, by policy id. */
  readonly resets: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const policiesOf = ({
  usageLimits: usage,
  rateLimits: rate,
  resets,
}: WorkspacePolicies): Pick<WorkspaceDocument, 'policies'> =>
  usage.length === 0 && rate.length === 0
    ? {}
    : {
        policies: {
          usageLimits: usage.map((row) => usageLimitPolicy(row, resets.get(row.id))),
          rateLimits: rate.map(rateLimitPolicy),
        },
      };

const usageLimitPolicy = (
  row: UsageLimitPolicyEntity,
  resets: Readonly<Record<string, string>> | undefined,
): UsageLimitPolicyRule => ({
  id: row.id,
  name: row.name,
  conditions: row.conditions,
  groupBy: row.groupBy,
  limit: policyUsageRule(row),
  ...(resets === undefined ? {} : { resets }),
});

const rateLimitPolicy = (row: RateLimitPolicyEntity): RateLimitPolicyRule => ({
  id: row.id,
  name: row.name,
  conditions: row.conditions,
  groupBy: row.groupBy,
  target: row.target,
  limit: policyRateRule(row),
});

export const providerDocument = (
  provider: ProviderEntity,
  integration: IntegrationEntity,
  {
    models,
    limits,
    credential,
  }: {
    readonly models: readonly IntegrationModelEntity[];
    /** Limits of the integration in the provider's workspace; null for none. */
    readonly limits: IntegrationLimits | null;
    readonly credential: ProviderCredential;
  },
): ProviderDocument => {
  const content: Unversioned<ProviderDocument> = {
    kind: 'provider',
    id: provider.id,
    slug: provider.slug,
    name: provider.name,
    organisationId: provider.organisationId,
    workspaceId: provider.workspaceId,
    integrationId: provider.integrationId,
    status: provider.status,
    expiresAt: provider.expiresAt?.toISOString() ?? null,
    providerId: integration.aiProviderId,
    sealedCredential: null,
    configurations: integration.configurations,
    allowAllModels: integration.allowAllModels,
    models: models.map(providerModel),
    rateLimits: rateLimitRules(provider.rateLimits),
    usageLimits: usageLimitRules(provider.usageLimits, provider.lastResetAt),
    ...(limits === null ? {} : { integrationLimits: limits }),
    ...(integration.pricingAdjustments === null
      ? {}
      : { pricingAdjustments: integration.pricingAdjustments }),
  };
  const { version } = versioned<ProviderDocument>(content, credential.version);
  return { ...content, version, sealedCredential: credential.sealedCredential };
};

export const configDocument = (config: ConfigEntity, version: ConfigVersionEntity): ConfigDocument =>
  versioned<ConfigDocument>({
    kind: 'config',
    id: config.id,
    slug: config.slug,
    versionId: version.id,
    organisationId: config.organisationId,
    workspaceId: config.workspaceId,
    status: config.status,
    config: version.content,
  });

const providerModel = (model: IntegrationModelEntity): ProviderModel => ({
  slug: model.slug,
  enabled: model.enabled,
  isCustom: model.isCustom,
  baseModelSlug: model.baseModelSlug,
  customHost: model.customHost,
  customHeaders: model.customHeaders,
  price: priceOf(model.pricingConfig),
  ...(model.pricingConfig === null ? {} : { pricingConfig: model.pricingConfig }),
});

/** Returns the price only if both parts are set; with one part, half of the usage would be free. */
function priceOf(pricing: Record<string, unknown> | null): ProviderModel['price'] {
  const units = pricing?.['pay_as_you_go'] as Record<string, { price?: unknown }> | undefined;
  const input = units?.['request_token']?.price;
  const output = units?.['response_token']?.price;
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : null;
}

/** Returns the earlier of two times in ISO 8601; null when both are null. */
function earlier(first: Date | null, second: Date | null): string | null {
  const ends = [first, second].filter((date) => date !== null).map((date) => date.getTime());
  return ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString();
}

const dialectsOf = ({
  translation_loss: loss,
  portkey_headers: accepts,
}: WorkspaceEntity['settings']): Pick<WorkspaceDocument, 'translationLoss' | 'acceptsPortkeyHeaders'> => ({
  ...(loss === undefined ? {} : { translationLoss: loss }),
  ...(accepts === true ? { acceptsPortkeyHeaders: true } : {}),
});

const strictAuditOf = ({ audit }: { readonly audit?: string }): { strictAudit?: true } =>
  audit === 'strict' ? { strictAudit: true } : {};
