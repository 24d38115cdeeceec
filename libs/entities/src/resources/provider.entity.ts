import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { StoredRateLimit, StoredUsageLimit } from '../identity/limits';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';
import { IntegrationEntity } from './integration.entity';

export type ProviderStatus = 'active' | 'exhausted' | 'expired' | 'archived';

/**
 * A saved provider of a workspace, with its own limits; requests name it as `@slug`. A virtual key
 * is also such a row, with a hidden integration that only it uses. Both share one namespace of
 * slugs.
 */
@Entity('providers')
@Check('providers_status_ck', `status IN ('active', 'exhausted', 'expired', 'archived')`)
@Index('providers_slug_uq', ['workspaceId', 'slug'], { unique: true, where: `status <> 'archived'` })
@Index('providers_page_ix', ['workspaceId', 'createdAt', 'id'])
export class ProviderEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'providers_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'providers_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'providers_workspace_fk' })
  workspaceId!: string;

  @Index('providers_integration_id_ix')
  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => IntegrationEntity, { name: 'providers_integration_fk' })
  integrationId!: string;

  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'note', type: 'text', nullable: true })
  note!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: ProviderStatus;

  @Column({ name: 'is_virtual_key', type: 'boolean', default: false })
  isVirtualKey!: boolean;

  @Column({ name: 'usage_limits', type: 'jsonb', nullable: true })
  usageLimits!: StoredUsageLimit | null;

  @Column({ name: 'rate_limits', type: 'jsonb', nullable: true })
  rateLimits!: StoredRateLimit[] | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'tags', type: 'jsonb', nullable: true })
  tags!: Record<string, string> | null;

  /** When the usage was last set to zero. */
  @Column({ name: 'last_reset_at', type: 'timestamptz', precision: 3, nullable: true })
  lastResetAt!: Date | null;

  /**
   * Rank of the caller that last set its limits or its expiry; callers of a lower rank do not
   * change them.
   */
  @Column({ name: 'limits_rank', type: 'smallint', default: 0 })
  limitsRank!: number;
}
