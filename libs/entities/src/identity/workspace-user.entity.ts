import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import { UserEntity } from './user.entity';
import { WorkspaceEntity } from './workspace.entity';

/**
 * One user's membership of one workspace. Owners and admins of the organisation do not need one.
 */
@Entity('workspace_users')
export class WorkspaceUserEntity extends Row {
  @PrimaryColumn({ name: 'workspace_id', type: 'uuid', primaryKeyConstraintName: 'workspace_users_pk' })
  @ForeignKey(() => WorkspaceEntity, { name: 'workspace_users_workspace_fk' })
  workspaceId!: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'workspace_users_pk' })
  @ForeignKey(() => UserEntity, { name: 'workspace_users_user_fk' })
  @Index('workspace_users_user_id_ix')
  userId!: string;

  @Column({ name: 'role', type: 'varchar', length: 16 })
  role!: 'admin' | 'manager' | 'member';

  /** Source of the membership; SCIM and SSO remove only those that they created. */
  @Column({ name: 'source', type: 'varchar', length: 8, default: 'manual' })
  source!: 'manual' | 'scim' | 'sso';
}
