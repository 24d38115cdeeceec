import type { LossMode } from '@gw/kernel';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import type { StoredRateLimit, StoredUsageLimit } from './limits';
import {
  OrganisationEntity,
  type DataPlaneSecuritySettings,
  type ExportSettings,
  type StoredSecuritySettings,
  type UserKeySettings,
} from './organisation.entity';

export interface WorkspaceDefaults {
  readonly metadata?: Readonly<Record<string, string>>;
  /** Id of a config of the workspace. */
  readonly user_api_key_config?: string;
  /** Ids of guardrails of the workspace or its organisation, in their order of execution. */
  readonly input_guardrails?: readonly string[];
  readonly output_guardrails?: readonly string[];
}

export interface WorkspaceSettings extends UserKeySettings {
  /** 1: bodies are logged; 0: metrics only; absent: the organisation's setting. */
  readonly debug_log?: 0 | 1;
  /** `strict` refuses requests that cannot be recorded; absent: the organisation's setting. */
  readonly audit?: 'standard' | 'strict';
  /**
   * Handling of members that a provider cannot express, unless a config sets it; absent: `strict`.
   */
  readonly translation_loss?: LossMode;
  /** Whether requests may carry `x-portkey-*` headers. */
  readonly portkey_headers?: boolean;
}

@Entity('workspaces')
@Index('workspaces_organisation_slug_uq', ['organisationId', 'slug'], { unique: true })
@Index('workspaces_organisation_created_at_ix', ['organisationId', 'createdAt', 'id'])
export class WorkspaceEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'workspaces_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'workspaces_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  /** Name without the icon. */
  @Column({ name: 'name', type: 'varchar', length: 128 })
  name!: string;

  /** An emoji shown before the name in the display form. */
  @Column({ name: 'icon', type: 'varchar', length: 32, nullable: true })
  icon!: string | null;

  @Column({ name: 'description', type: 'varchar', length: 500, nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /**
   * Whether it is the default workspace of the organisation, which has exactly one and cannot
   * delete it.
   */
  @Column({ name: 'is_default', type: 'boolean', default: false })
  isDefault!: boolean;

  @Column({ name: 'defaults', type: 'jsonb', default: {} })
  defaults!: WorkspaceDefaults;

  @Column({ name: 'settings', type: 'jsonb', default: {} })
  settings!: WorkspaceSettings;

  /** An empty object inherits the organisation's settings. */
  @Column({ name: 'data_plane_security_settings', type: 'jsonb', default: {} })
  dataPlaneSecuritySettings!: DataPlaneSecuritySettings;

  /** An empty object inherits the organisation's settings. */
  @Column({ name: 'export_settings', type: 'jsonb', default: {} })
  exportSettings!: ExportSettings;

  /** Null or one item. */
  @Column({ name: 'usage_limits', type: 'jsonb', nullable: true })
  usageLimits!: StoredUsageLimit[] | null;

  @Column({ name: 'rate_limits', type: 'jsonb', nullable: true })
  rateLimits!: StoredRateLimit[] | null;

  /** Time of the last reset; earlier usage does not count for its budgets. */
  @Column({ name: 'last_reset_at', type: 'timestamptz', precision: 3, nullable: true })
  lastResetAt!: Date | null;

  /** User who created it; null for an API key or the first start. */
  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;

  @Column({ name: 'creation_source', type: 'varchar', length: 16, default: 'api' })
  creationSource!: 'default' | 'ui' | 'api' | 'scim';

  /**
   * Security settings; they apply for the categories that the organisation lets workspaces
   * override.
   */
  @Column({ name: 'security_settings', type: 'jsonb', default: {} })
  securitySettings!: StoredSecuritySettings;

  /** Rank of the caller that last set its limits; callers of a lower rank do not change them. */
  @Column({ name: 'limits_rank', type: 'smallint', default: 0 })
  limitsRank!: number;

  /**
   * Ranks of the callers that last set its other settings, by setting; absent: anyone who may write
   * the workspace can change it.
   */
  @Column({ name: 'set_by', type: 'jsonb', default: {} })
  setBy!: Readonly<Record<string, number>>;
}
