import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { StoredRateLimit, StoredUsageLimit } from '../identity/limits';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/**
 * Access of every workspace without a row of its own in `integration_workspaces`, future ones
 * included. Public shape.
 */
export interface StoredSecretMapping {
  /** `key` or `configurations.<field>`. */
  readonly target_field: string;
  /** Id, of the same organisation. */
  readonly secret_reference_id: string;
  /** Wins over the reference's own. */
  readonly secret_key: string | null;
  readonly value_format: 'string' | 'json';
}

export interface GlobalWorkspaceAccess {
  readonly enabled: boolean;
  /** For each workspace; null or one item. */
  readonly usage_limits: readonly StoredUsageLimit[] | null;
  readonly rate_limits: readonly StoredRateLimit[] | null;
}

/**
 * A provider account of an organisation: which provider, with which credential. Providers of
 * workspaces refer to it. The hidden integration of a virtual key is a row of the same kind
 * (`isVirtualKey`), which the integration routes never show.
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

  /** An id of the provider catalogue. */
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
   * `seal()` of `{ apiKey?, configurations }`, bound to `integration:<organisation id>:<id>`. Null:
   * there is nothing to seal.
   */
  @Column({ name: 'sealed_credential', type: 'text', nullable: true })
  sealedCredential!: string | null;

  /** Masked key for responses; null without a key. */
  @Column({ name: 'masked_key', type: 'varchar', length: 32, nullable: true })
  maskedKey!: string | null;

  /** Provider fields that are no secret. */
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

  /** Fields whose value is in a secret manager; null: none. */
  @Index('integrations_secret_mappings_ix', { synchronize: false })
  @Column({ name: 'secret_mappings', type: 'jsonb', nullable: true })
  secretMappings!: StoredSecretMapping[] | null;
}
