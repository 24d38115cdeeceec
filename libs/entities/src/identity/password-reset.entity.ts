import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';

/**
 * A link that sets a new password once. Deleted when it is used or replaced, and by the job
 * `login-expiry` after it has expired.
 */
@Entity('password_resets')
export class PasswordResetEntity extends PlainRow {
  /** HMAC-SHA256 of the token in the link, hex. */
  @PrimaryColumn({
    name: 'token_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'password_resets_pk',
  })
  tokenHash!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'password_resets_user_fk' })
  @Index('password_resets_user_id_ix')
  userId!: string;

  /**
   * The organisation in which the new password is valid, if an owner of it created the link and
   * received it in the response. Null if the link was mailed to the user or created on the machine
   * of the installation: the password is then valid in all organisations.
   */
  @Column({ name: 'organisation_id', type: 'uuid', nullable: true })
  @ForeignKey(() => OrganisationEntity, { name: 'password_resets_organisation_fk' })
  organisationId!: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
