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

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';
}
