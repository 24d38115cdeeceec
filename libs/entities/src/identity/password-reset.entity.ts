import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';

/** A link that sets a new password once. Deleted when it is used or replaced. */
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
   * The organisation that made the link and saw it: the password counts there alone. Null: the link went to the address of the
   * user, or was made on the machine of the installation, and the password counts everywhere.
   */
  @Column({ name: 'organisation_id', type: 'uuid', nullable: true })
  @ForeignKey(() => OrganisationEntity, { name: 'password_resets_organisation_fk' })
  organisationId!: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
