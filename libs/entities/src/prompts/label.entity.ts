import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** A name by which requests can refer to a version of a prompt. */
@Entity('labels')
@Check('labels_status_ck', `status IN ('active', 'archived')`)
@Index('labels_page_ix', ['organisationId', 'createdAt', 'id'])
@Index('labels_workspace_id_ix', ['workspaceId'])
export class LabelEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'labels_pk' })
  id!: string;

  /**
   * Null for the labels of all organisations (`production`, `staging`, `development`), which cannot
   * be changed.
   */
  @Column({ name: 'organisation_id', type: 'uuid', nullable: true })
  @ForeignKey(() => OrganisationEntity, { name: 'labels_organisation_fk' })
  organisationId!: string | null;

  /** Null for a label of all workspaces of the organisation. */
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'labels_workspace_fk' })
  workspaceId!: string | null;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'text', nullable: true })
  description!: string | null;

  @Column({ name: 'color_code', type: 'varchar', length: 32, nullable: true })
  colorCode!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';
}
