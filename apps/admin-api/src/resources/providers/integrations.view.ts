import type { IntegrationEntity, IntegrationModelEntity, IntegrationWorkspaceEntity } from '@gw/entities';
import { ResponseField, RowResponse, viewOf } from '@gw/web';
import type { LimitOwner, ShownUsageLimit } from '../../platform/limits/limit-usage';
import { RateLimitResponse, UsageLimitResponse } from '../../platform/limits/limits.dto';
import { shownConfigurations } from '../../platform/credentials/configurations';
import { maskHeaders } from '../../platform/credentials/header-map';
import { SecretMappingResponse, shownMappings } from '../../platform/credentials/secret-mappings';
import { pricingConfigFaults } from './pricing';

class UseResponse {
  @ResponseField.text({ example: 'configs.pc-main' }) readonly path!: string;
  @ResponseField.text() readonly message!: string;
}

export class DeletedIntegration {
  /** Uses of the providers that were archived with the integration; absent when there were none. */
  @ResponseField.list(() => UseResponse, { optional: true }) readonly warnings?: readonly UseResponse[];
}

export class IntegrationResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @ResponseField.oneOf(['organisation', 'workspace']) readonly type!: 'organisation' | 'workspace';
  @ResponseField.text({ example: 'openai' }) readonly ai_provider_id!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.text({ example: 'search-team' }) readonly slug!: string;
  @ResponseField.text({ nullable: true, example: 'What it is for' }) readonly description!: string | null;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.map({ nullable: true }) readonly tags!: Readonly<Record<string, string>> | null;
  @ResponseField.kind('integration') readonly object!: 'integration';
}

class GlobalAccessResponse {
  @ResponseField.boolean() readonly enabled!: boolean;
  @ResponseField.list(() => UsageLimitResponse, { nullable: true })
  readonly usage_limits!: readonly UsageLimitResponse[] | null;
  @ResponseField.list(() => RateLimitResponse, { nullable: true })
  readonly rate_limits!: readonly RateLimitResponse[] | null;
}

export class IntegrationDetailResponse extends IntegrationResponse {
  @ResponseField.text({ nullable: true, example: 'sk*****f9a' }) readonly masked_key!: string | null;
  @ResponseField.json({ description: 'Secrets are renamed to `masked_<name>`.' })
  readonly configurations!: Readonly<Record<string, unknown>>;
  @ResponseField.one(() => GlobalAccessResponse, { nullable: true })
  readonly global_workspace_access_settings!: IntegrationEntity['globalWorkspaceAccess'];
  @ResponseField.boolean() readonly allow_all_models!: boolean;
  @ResponseField.integer({ example: 1 }) readonly workspace_count!: number;
  @ResponseField.list(() => SecretMappingResponse)
  readonly secret_mappings!: readonly SecretMappingResponse[];
  @ResponseField.json({ nullable: true }) readonly pricing_adjustments!: Readonly<
    Record<string, unknown>
  > | null;
}

const typeOf = ({ workspaceId }: IntegrationEntity) => (workspaceId === null ? 'organisation' : 'workspace');

export const toIntegration = (row: IntegrationEntity): IntegrationResponse =>
  viewOf(IntegrationResponse, row, { type: typeOf(row), object: 'integration' });

export const toIntegrationDetail = (
  row: IntegrationEntity,
  workspaceCount: number,
): IntegrationDetailResponse =>
  viewOf(IntegrationDetailResponse, row, {
    type: typeOf(row),
    configurations: shownConfigurations(row.configurations, row.maskedConfigurations),
    global_workspace_access_settings: row.globalWorkspaceAccess,
    workspace_count: workspaceCount,
    secret_mappings: shownMappings(row),
    object: 'integration',
  });

class ModelAddressResponse {
  @ResponseField.text({ optional: true, example: 'https://llm.example.org/v1' })
  readonly custom_host?: string;
  @ResponseField.map({ optional: true, example: { 'x-team': 'search' } })
  readonly custom_headers?: Readonly<Record<string, string>>;
}

export class IntegrationModelResponse {
  @ResponseField.text({ example: 'search-team' }) readonly slug!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.boolean() readonly enabled!: boolean;
  @ResponseField.boolean() readonly is_custom!: boolean;
  @ResponseField.boolean() readonly is_finetune!: boolean;
  @ResponseField.text({ nullable: true, example: 'llama-3.1-8b' }) readonly base_model_slug!: string | null;
  @ResponseField.one(() => ModelAddressResponse, { nullable: true })
  readonly configurations!: ModelAddressResponse | null;
  @ResponseField.json({ nullable: true }) readonly pricing_config!: Readonly<Record<string, unknown>> | null;

  /** Saved prices that exceed the bounds and cannot be counted; absent when there are none. */
  @ResponseField.list(() => UseResponse, { optional: true }) readonly warnings?: readonly UseResponse[];
}

export function toModel(row: IntegrationModelEntity): IntegrationModelResponse {
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

function priceWarnings({
  pricingConfig,
}: IntegrationModelEntity): Pick<IntegrationModelResponse, 'warnings'> {
  const faults = pricingConfig === null ? [] : pricingConfigFaults(pricingConfig, 'pricing_config');
  if (faults.length === 0) return {};
  const warnings = faults.map(({ path, message }) => ({ path, message: `${message}; ${UNPRICED}` }));
  return { warnings };
}

const UNPRICED =
  'until a valid price is saved, requests to the model are unpriced, and no budget counts their cost.';

export class IntegrationModelsResponse {
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly allow_all_models!: boolean;
  @ResponseField.list(() => IntegrationModelResponse) readonly models!: IntegrationModelResponse[];
}

export class IntegrationWorkspaceResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.boolean() readonly enabled!: boolean;
  @ResponseField.list(() => UsageLimitResponse, { nullable: true })
  readonly usage_limits!: readonly ShownUsageLimit[] | null;
  @ResponseField.list(() => RateLimitResponse, { nullable: true })
  readonly rate_limits!: IntegrationWorkspaceEntity['rateLimits'];
  @ResponseField.time({ nullable: true }) readonly last_reset_at!: string | null;
}

export class IntegrationWorkspacesResponse {
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.list(() => IntegrationWorkspaceResponse)
  readonly workspaces!: IntegrationWorkspaceResponse[];
  @ResponseField.one(() => GlobalAccessResponse, { nullable: true })
  readonly global_workspace_access!: IntegrationEntity['globalWorkspaceAccess'];
}

export const toAccess = (row: IntegrationWorkspaceEntity): IntegrationWorkspaceResponse => ({
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
