import type { IntegrationEntity, IntegrationModelEntity, IntegrationWorkspaceEntity } from '@gw/entities';
import { etagOf } from '@gw/web';
import { shownConfigurations } from '../credentials/configurations';
import { maskHeaders } from '../credentials/header-map';

export interface IntegrationAnswer {
  readonly id: string;
  readonly organisation_id: string;
  readonly workspace_id: string | null;
  readonly type: 'organisation' | 'workspace';
  readonly ai_provider_id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly status: 'active' | 'archived';
  readonly tags: Readonly<Record<string, string>> | null;
  readonly created_at: string;
  readonly last_updated_at: string;
  readonly etag: string;
  readonly object: 'integration';
}

export interface IntegrationDetailAnswer extends IntegrationAnswer {
  readonly masked_key: string | null;
  /** Secrets are renamed to `masked_<name>`. */
  readonly configurations: Readonly<Record<string, unknown>>;
  readonly global_workspace_access_settings: IntegrationEntity['globalWorkspaceAccess'];
  readonly allow_all_models: boolean;
  readonly workspace_count: number;
  readonly secret_mappings: readonly never[];
  readonly pricing_adjustments: Readonly<Record<string, unknown>> | null;
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
  created_at: row.createdAt.toISOString(),
  last_updated_at: row.lastUpdatedAt.toISOString(),
  etag: etagOf(row),
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
  secret_mappings: [],
  pricing_adjustments: row.pricingAdjustments,
});

export interface IntegrationModelAnswer {
  readonly slug: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly is_custom: boolean;
  readonly is_finetune: boolean;
  readonly base_model_slug: string | null;
  readonly configurations: {
    readonly custom_host?: string;
    readonly custom_headers?: Readonly<Record<string, string>>;
  } | null;
  readonly pricing_config: Readonly<Record<string, unknown>> | null;
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
  };
}

export interface IntegrationWorkspaceAnswer {
  readonly id: string;
  readonly enabled: boolean;
  readonly usage_limits: IntegrationWorkspaceEntity['usageLimits'];
  readonly rate_limits: IntegrationWorkspaceEntity['rateLimits'];
  readonly last_reset_at: string | null;
}

export const toAccess = (row: IntegrationWorkspaceEntity): IntegrationWorkspaceAnswer => ({
  id: row.workspaceId,
  enabled: row.enabled,
  usage_limits: row.usageLimits,
  rate_limits: row.rateLimits,
  last_reset_at: row.lastResetAt?.toISOString() ?? null,
});
