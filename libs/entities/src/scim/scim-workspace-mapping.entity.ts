import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';
import { ScimGroupEntity } from './scim-group.entity';

/** Gives members of a group a role in a workspace. All mappings of a group have the same role. */
@Entity('scim_workspace_mappings')
@Index('scim_workspace_mappings_pair_uq', ['groupId', 'workspaceId'], { unique: true })
@Index('scim_workspace_mappings_created_at_ix', ['organisationId', 'createdAt', 'id'])
export class ScimWorkspaceMappingEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'scim_workspace_mappings_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'scim_workspace_mappings_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'group_id', type: 'uuid' })
  @ForeignKey(() => ScimGroupEntity, { name: 'scim_workspace_mappings_group_fk', onDelete: 'CASCADE' })
  groupId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'scim_workspace_mappings_workspace_fk' })
  @Index('scim_workspace_mappings_workspace_id_ix')
  workspaceId!: string;

  @Column({ name: 'role', type: 'varchar', length: 16 })
  role!: 'admin' | 'manager' | 'member';

  /** `pattern`: the mapping was derived from the group's name, and a new name ends it. */
  @Column({ name: 'origin', type: 'varchar', length: 8, default: 'manual' })
  origin!: 'manual' | 'pattern';
}
