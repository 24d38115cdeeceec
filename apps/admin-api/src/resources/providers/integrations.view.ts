import type { CatalogueProvider, ConfigurationField } from '@gw/contracts';
import type { IntegrationEntity, IntegrationModelEntity, IntegrationWorkspaceEntity } from '@gw/entities';
import { Answer, RowAnswer, rowFields } from '@gw/web';
import type { LimitOwner, ShownUsageLimit } from '../../platform/limits/limit-usage';
import { RateLimitAnswer, UsageLimitAnswer } from '../../platform/limits/limits.dto';
import { shownConfigurations } from '../../platform/credentials/configurations';
import { maskHeaders } from '../../platform/credentials/header-map';
import { SecretMappingAnswer, shownMappings } from '../../platform/credentials/secret-mappings';
import { pricingConfigFaults } from './pricing';

class UseAnswer {
  @Answer.text({ example: 'configs.pc-main' }) readonly path!: string;
  @Answer.text() readonly message!: string;
}

export class DeletedIntegration {
  /** What names a provider that is gone with the integration; absent when nothing does. */
  @Answer.list(() => UseAnswer, { optional: true }) readonly warnings?: readonly UseAnswer[];
}

export class IntegrationAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @Answer.oneOf(['organisation', 'workspace']) readonly type!: 'organisation' | 'workspace';
  @Answer.text({ example: 'openai' }) readonly ai_provider_id!: string;
  @Answer.text({ example: 'Search team' }) readonly name!: string;
  @Answer.text({ example: 'search-team' }) readonly slug!: string;
  @Answer.text({ nullable: true, example: 'What it is for' }) readonly description!: string | null;
  @Answer.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @Answer.map({ nullable: true }) readonly tags!: Readonly<Record<string, string>> | null;
  @Answer.kind('integration') readonly object!: 'integration';
}

class GlobalAccessAnswer {
  @Answer.boolean() readonly enabled!: boolean;
  @Answer.list(() => UsageLimitAnswer, { nullable: true })
  readonly usage_limits!: readonly UsageLimitAnswer[] | null;
  @Answer.list(() => RateLimitAnswer, { nullable: true })
  readonly rate_limits!: readonly RateLimitAnswer[] | null;
}

export class IntegrationDetailAnswer extends IntegrationAnswer {
  @Answer.text({ nullable: true, example: 'sk*****f9a' }) readonly masked_key!: string | null;
  @Answer.json({ description: 'Secrets are renamed to `masked_<name>`.' })
  readonly configurations!: Readonly<Record<string, unknown>>;
  @Answer.one(() => GlobalAccessAnswer, { nullable: true })
  readonly global_workspace_access_settings!: IntegrationEntity['globalWorkspaceAccess'];
  @Answer.boolean() readonly allow_all_models!: boolean;
  @Answer.integer({ example: 1 }) readonly workspace_count!: number;
  @Answer.list(() => SecretMappingAnswer) readonly secret_mappings!: readonly SecretMappingAnswer[];
  @Answer.json({ nullable: true }) readonly pricing_adjustments!: Readonly<Record<string, unknown>> | null;
}

export const toIntegration = (row: IntegrationEntity): IntegrationAnswer => ({
  id: row.id,
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  type: row.workspaceId === null ? 'organisation' : 'workspace',
  ai_provider_id: row.aiProviderId,
  name: row.name,
  slug: row.slug,
  description: row.description,
  status: row.status,
  tags: row.tags,
  ...rowFields(row),
  object: 'integration',
});

export const toIntegrationDetail = (
  row: IntegrationEntity,
  workspaceCount: number,
): IntegrationDetailAnswer => ({
  ...toIntegration(row),
  masked_key: row.maskedKey,
  configurations: shownConfigurations(row.configurations, row.maskedConfigurations),
  global_workspace_access_settings: row.globalWorkspaceAccess,
  allow_all_models: row.allowAllModels,
  workspace_count: workspaceCount,
  secret_mappings: shownMappings(row),
  pricing_adjustments: row.pricingAdjustments,
});

class ModelAddressAnswer {
  @Answer.text({ optional: true, example: 'https://llm.example.org/v1' }) readonly custom_host?: string;
  @Answer.map({ optional: true, example: { 'x-team': 'search' } })
  readonly custom_headers?: Readonly<Record<string, string>>;
}

export class IntegrationModelAnswer {
  @Answer.text({ example: 'search-team' }) readonly slug!: string;
  @Answer.text({ example: 'Search team' }) readonly name!: string;
  @Answer.boolean() readonly enabled!: boolean;
  @Answer.boolean() readonly is_custom!: boolean;
  @Answer.boolean() readonly is_finetune!: boolean;
  @Answer.text({ nullable: true, example: 'llama-3.1-8b' }) readonly base_model_slug!: string | null;
  @Answer.one(() => ModelAddressAnswer, { nullable: true })
  readonly configurations!: ModelAddressAnswer | null;
  @Answer.json({ nullable: true }) readonly pricing_config!: Readonly<Record<string, unknown>> | null;

  /** A price from before prices had bounds, which cannot be counted; absent: there is nothing to say. */
  @Answer.list(() => UseAnswer, { optional: true }) readonly warnings?: readonly UseAnswer[];
}

export function toModel(row: IntegrationModelEntity): IntegrationModelAnswer {
  const hasHeaders = Object.keys(row.customHeaders).length > 0;
  return {
    slug: row.slug,
    name: row.slug,
    enabled: row.enabled,
    is_custom: row.isCustom,
    is_finetune: row.isFinetune,
    base_model_slug: row.baseModelSlug,
    configurations:
      row.customHost === null && !hasHeaders
        ? null
        : {
            ...(row.customHost === null ? {} : { custom_host: row.customHost }),
            ...(hasHeaders ? { custom_headers: maskHeaders(row.customHeaders) } : {}),
          },
    pricing_config: row.pricingConfig,
    ...priceWarnings(row),
  };
}

function priceWarnings({ pricingConfig }: IntegrationModelEntity): Pick<IntegrationModelAnswer, 'warnings'> {
  const faults = pricingConfig === null ? [] : pricingConfigFaults(pricingConfig, 'pricing_config');
  if (faults.length === 0) return {};
  const warnings = faults.map(({ path, message }) => ({ path, message: `${message}; ${UNPRICED}` }));
  return { warnings };
}

const UNPRICED =
  'until another price is saved, requests of the model are unpriced: no budget counts their cost.';

export class IntegrationModelsAnswer {
  @Answer.integer({ example: 1 }) readonly total!: number;
  @Answer.boolean() readonly allow_all_models!: boolean;
  @Answer.list(() => IntegrationModelAnswer) readonly models!: IntegrationModelAnswer[];
}

export class IntegrationWorkspaceAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.boolean() readonly enabled!: boolean;
  @Answer.list(() => UsageLimitAnswer, { nullable: true })
  readonly usage_limits!: readonly ShownUsageLimit[] | null;
  @Answer.list(() => RateLimitAnswer, { nullable: true })
  readonly rate_limits!: IntegrationWorkspaceEntity['rateLimits'];
  @Answer.time({ nullable: true }) readonly last_reset_at!: string | null;
}

export class IntegrationWorkspacesAnswer {
  @Answer.integer({ example: 1 }) readonly total!: number;
  @Answer.list(() => IntegrationWorkspaceAnswer) readonly workspaces!: IntegrationWorkspaceAnswer[];
  @Answer.one(() => GlobalAccessAnswer, { nullable: true })
  readonly global_workspace_access!: IntegrationEntity['globalWorkspaceAccess'];
}

export const toAccess = (row: IntegrationWorkspaceEntity): IntegrationWorkspaceAnswer => ({
  id: row.workspaceId,
  enabled: row.enabled,
  usage_limits: row.usageLimits,
  rate_limits: row.rateLimits,
  last_reset_at: row.lastResetAt?.toISOString() ?? null,
});

export const limitOwnerOf = (
  organisationId: string,
  { integrationId: id, workspaceId: group, lastResetAt }: IntegrationWorkspaceEntity,
): LimitOwner => ({ organisationId, scope: 'integration', id, group, lastResetAt });

class CatalogueFieldAnswer {
  @Answer.text({ example: 'openai_project' }) readonly name!: string;
  @Answer.oneOf(['text', 'label', 'url', 'boolean', 'headers', 'azure_deployments'])
  readonly kind!: ConfigurationField['kind'];
  @Answer.boolean() readonly secret!: boolean;
  @Answer.any({
    description: 'True or false, or `{ field, oneOf }`: required when that field has one of the values.',
  })
  readonly required!: ConfigurationField['required'];
  @Answer.texts({ optional: true }) readonly values?: readonly string[];
}

export class CatalogueProviderAnswer {
  @Answer.text({ example: 'openai' }) readonly id!: string;
  @Answer.text({ example: 'OpenAI' }) readonly name!: string;
  @Answer.boolean() readonly needs_key!: boolean;
  @Answer.list(() => CatalogueFieldAnswer) readonly configurations!: CatalogueFieldAnswer[];
  @Answer.kind('integration-provider') readonly object!: 'integration-provider';
}

export const toCatalogueProvider = ({
  id,
  name,
  needsKey,
  fields,
}: CatalogueProvider): CatalogueProviderAnswer => ({
  id,
  name,
  needs_key: needsKey,
  configurations: fields.map(({ name: field, kind, secret, required, values }) => ({
    name: field,
    kind,
    secret,
    required,
    ...(values === undefined ? {} : { values }),
  })),
  object: 'integration-provider',
});
