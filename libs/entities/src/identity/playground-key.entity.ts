import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { SessionEntity } from './session.entity';
import { UserEntity } from './user.entity';
import { WorkspaceEntity } from './workspace.entity';

/**
 * A short-lived key of a session that calls gateways with the rights of the session's user in one
 * workspace. It ends with the session.
 */
@Entity('playground_keys')
export class PlaygroundKeyEntity extends PlainRow {
  /**
   * HMAC-SHA256 of the key, hex, computed like that of an access token. The key itself is shown
   * once and not stored.
   */
  @PrimaryColumn({
    name: 'key_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'playground_keys_pk',
  })
  keyHash!: string;

  @Column({ name: 'session_id', type: 'uuid' })
  @ForeignKey(() => SessionEntity, { name: 'playground_keys_session_fk', onDelete: 'CASCADE' })
  @Index('playground_keys_session_id_ix')
  sessionId!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'playground_keys_user_fk' })
  @Index('playground_keys_user_id_ix')
  userId!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'playground_keys_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'playground_keys_workspace_fk' })
  @Index('playground_keys_workspace_id_ix')
  workspaceId!: string;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
