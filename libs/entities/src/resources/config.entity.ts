import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/**
 * A saved gateway config. Its contents are in `config_versions`; `currentVersionId` names the
 * active one.
 */
@Entity('configs')
@Check('configs_status_ck', `status IN ('active', 'archived')`)
@Index('configs_slug_uq', ['organisationId', 'slug'], { unique: true })
@Index('configs_default_uq', ['workspaceId'], {
  unique: true,
  where: `is_default AND status = 'active'`,
})
@Index('configs_page_ix', ['workspaceId', 'createdAt', 'id'])
export class ConfigEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'configs_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'configs_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'configs_workspace_fk' })
  workspaceId!: string;

  /** Slug of the caller, or the generated `pc-<name>-<hex>`; never reused. */
  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /**
   * Whether requests of the workspace that name no config use this one; at most one per workspace.
   */
  @Column({ name: 'is_default', type: 'boolean', default: false })
  isDefault!: boolean;

  @Column({ name: 'current_version_id', type: 'uuid' })
  currentVersionId!: string;

  /** Id of the user or API key that created it. */
  @Column({ name: 'owner_id', type: 'uuid', nullable: true })
  ownerId!: string | null;

  @Column({ name: 'updated_by', type: 'uuid', nullable: true })
  updatedBy!: string | null;
}
