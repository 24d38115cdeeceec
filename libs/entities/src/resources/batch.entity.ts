import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** A batch that the gateway runs itself, as the control plane stores it. */
@Entity('batches')
@Index('batches_page_ix', ['workspaceId', 'createdAt', 'id'])
export class BatchEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'batches_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'batches_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'batches_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'status', type: 'varchar', length: 32 })
  status!: string;

  @Column({ name: 'internal_output_file_id', type: 'varchar', length: 255, nullable: true })
  internalOutputFileId!: string | null;
}
