import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { PlainRow } from '../row';

/**
 * A token of an organisation's identity provider. After a rotation the previous token works until
 * it expires.
 */
@Entity('scim_tokens')
export class ScimTokenEntity extends PlainRow {
  /** HMAC-SHA256 of the token, hex. */
  @PrimaryColumn({ name: 'token_hash', type: 'char', length: 64, primaryKeyConstraintName: 'scim_tokens_pk' })
  tokenHash!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'scim_tokens_organisation_fk' })
  @Index('scim_tokens_organisation_ix')
  organisationId!: string;

  @Column({ name: 'masked', type: 'varchar', length: 32 })
  masked!: string;

  /** Null for the current token. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}
