import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/**
 * A folder of prompts and partials. Each workspace has a default one, which is created on first
 * use.
 */
@Entity('collections')
@Check('collections_status_ck', `status IN ('active', 'archived')`)
@Index('collections_slug_uq', ['organisationId', 'slug'], { unique: true })
@Index('collections_default_uq', ['workspaceId'], { unique: true, where: `is_default` })
@Index('collections_page_ix', ['workspaceId', 'createdAt', 'id'])
@Index('collections_parent_id_ix', ['parentId'])
export class CollectionEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'collections_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'collections_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'collections_workspace_fk' })
  workspaceId!: string;

  /** Generated slug, `co-<name>-<hex>`; never reused. */
  @Column({ name: 'slug', type: 'varchar', length: 64 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'parent_id', type: 'uuid', nullable: true })
  @ForeignKey(() => CollectionEntity, { name: 'collections_parent_fk' })
  parentId!: string | null;

  @Column({ name: 'is_default', type: 'boolean', default: false })
  isDefault!: boolean;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';
}
