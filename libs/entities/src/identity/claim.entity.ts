import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';

/**
 * A link that signs the owner of an installation in once. It is deleted when it is used; a new link
 * replaces the previous one of its user.
 */
@Entity('claims')
export class ClaimEntity extends PlainRow {
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'claims_pk' })
  @ForeignKey(() => UserEntity, { name: 'claims_user_fk' })
  userId!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'claims_organisation_fk' })
  organisationId!: string;

  /** HMAC-SHA256 of the token in the link, hex. */
  @Column({ name: 'token_hash', type: 'char', length: 64 })
  tokenHash!: string;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
