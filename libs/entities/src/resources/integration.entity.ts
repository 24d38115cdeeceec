import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { StoredRateLimit, StoredUsageLimit } from '../identity/limits';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** Maps a field of a credential to a secret reference, in the form of the public API. */
export interface StoredSecretMapping {
  /** `key` or `configurations.<field>`. */
  readonly target_field: string;
  /** Id of a secret reference of the same organisation. */
  readonly secret_reference_id: string;
  /** Key within the secret; overrides that of the reference. Null for that of the reference. */
  readonly secret_key: string | null;
  readonly value_format: 'string' | 'json';
}

/**
 * Access of all workspaces without a row in `integration_workspaces`, including future ones, in the
 * form of the public API.
 */
export interface GlobalWorkspaceAccess {
  readonly enabled: boolean;
  /** Budget of each workspace; null or one item. */
  readonly usage_limits: readonly StoredUsageLimit[] | null;
  readonly rate_limits: readonly StoredRateLimit[] | null;
}

/**
 * A provider account of an organisation: its provider and credential. Saved providers of workspaces
 * refer to it. The hidden integration of a virtual key is also such a row (`isVirtualKey`), which
 * the routes of integrations never return.
 */
@Entity('integrations')
@Check('integrations_status_ck', `status IN ('active', 'archived')`)
@Index('integrations_slug_uq', ['organisationId', 'slug'], {
  unique: true,
  where: `status <> 'archived'`,
})
@Index('integrations_page_ix', ['organisationId', 'createdAt', 'id'])
export class IntegrationEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'integrations_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'integrations_organisation_fk' })
  organisationId!: string;

  /** Null: the integration belongs to the organisation. Otherwise only this workspace sees it. */
  @Index('integrations_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'integrations_workspace_fk' })
  workspaceId!: string | null;

  /** Id in the provider catalogue. */
  @Column({ name: 'ai_provider_id', type: 'varchar', length: 64 })
  aiProviderId!: string;

  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'text', nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'is_virtual_key', type: 'boolean', default: false })
  isVirtualKey!: boolean;

  /**
   * `seal()` of `{ apiKey?, configurations }`, bound to `integration:<organisation id>:<id>`; null
   * if there are no secrets.
   */
  @Column({ name: 'sealed_credential', type: 'text', nullable: true })
  sealedCredential!: string | null;

  /** Masked key for responses; null without a key. */
  @Column({ name: 'masked_key', type: 'varchar', length: 32, nullable: true })
  maskedKey!: string | null;

  /** Provider fields that are not secret. */
  @Column({ name: 'configurations', type: 'jsonb', default: {} })
  configurations!: Record<string, unknown>;

  /**
   * Masked values of the sealed provider fields for responses, by their own names: a text, or
   * headers.
   */
  @Column({ name: 'masked_configurations', type: 'jsonb', default: {} })
  maskedConfigurations!: Record<string, string | Record<string, string>>;

  /** Factors on the price of a request, `{ multiplier: { default?, request_token?, … } }`. */
  @Column({ name: 'pricing_adjustments', type: 'jsonb', nullable: true })
  pricingAdjustments!: Record<string, unknown> | null;

  @Column({ name: 'tags', type: 'jsonb', nullable: true })
  tags!: Record<string, string> | null;

  /** False: only the enabled rows of `integration_models` may be called. */
  @Column({ name: 'allow_all_models', type: 'boolean', default: true })
  allowAllModels!: boolean;

  @Column({ name: 'global_workspace_access', type: 'jsonb', nullable: true })
  globalWorkspaceAccess!: GlobalWorkspaceAccess | null;

  /** Fields whose values are in a secret manager; null for none. */
  @Index('integrations_secret_mappings_ix', { synchronize: false })
  @Column({ name: 'secret_mappings', type: 'jsonb', nullable: true })
  secretMappings!: StoredSecretMapping[] | null;
}
