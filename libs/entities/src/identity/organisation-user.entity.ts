import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';

/** One user's membership of one organisation. */
@Entity('organisation_users')
export class OrganisationUserEntity extends Row {
  @PrimaryColumn({
    name: 'organisation_id',
    type: 'uuid',
    primaryKeyConstraintName: 'organisation_users_pk',
  })
  @ForeignKey(() => OrganisationEntity, { name: 'organisation_users_organisation_fk' })
  organisationId!: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'organisation_users_pk' })
  @ForeignKey(() => UserEntity, { name: 'organisation_users_user_fk' })
  @Index('organisation_users_user_id_ix')
  userId!: string;

  @Column({ name: 'role', type: 'varchar', length: 16 })
  role!: 'owner' | 'admin' | 'member';

  /** Source of the role; single sign-on removes only roles that it granted. */
  @Column({ name: 'role_source', type: 'varchar', length: 8, default: 'manual' })
  roleSource!: 'manual' | 'sso';

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /**
   * Argon2id hash of a password that is valid only in this organisation, instead of the user's own
   * password. It was set with a link that others have seen, so it does not prove the address. Null
   * if the user's own password is valid.
   */
  @Column({ name: 'password_hash', type: 'varchar', length: 255, nullable: true })
  passwordHash!: string | null;
}
