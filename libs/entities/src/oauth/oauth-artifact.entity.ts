import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../identity/user.entity';
import { PlainRow } from '../row';
import { OauthConsentEntity } from './oauth-consent.entity';

/** A short-lived object of the OAuth server: an interaction, a grant, a code or a token. */
@Entity('oauth_artifacts')
export class OauthArtifactEntity extends PlainRow {
  /** HMAC-SHA256 of the model and the value, hex. The value itself is never stored. */
  @PrimaryColumn({
    name: 'id_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'oauth_artifacts_pk',
  })
  idHash!: string;

  /** `AccessToken`, `AuthorizationCode`, `Interaction`, … */
  @Column({ name: 'model', type: 'varchar', length: 32 })
  model!: string;

  /** Content of the object, without its value. */
  @Column({ name: 'payload', type: 'jsonb' })
  payload!: object;

  @Index('oauth_artifacts_grant_id_ix')
  @Column({ name: 'grant_id', type: 'uuid', nullable: true })
  @ForeignKey(() => OauthConsentEntity, { name: 'oauth_artifacts_grant_fk', onDelete: 'CASCADE' })
  grantId!: string | null;

  /** HMAC-SHA256 of the code that a user types in the device flow, hex. */
  @Index('oauth_artifacts_user_code_hash_uq', { unique: true })
  @Column({ name: 'user_code_hash', type: 'char', length: 64, nullable: true })
  userCodeHash!: string | null;

  @Column({ name: 'client_id', type: 'varchar', length: 2048, nullable: true })
  clientId!: string | null;

  /** User of the object; for an interaction, the first user who opened it. */
  @Index('oauth_artifacts_user_id_ix')
  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'oauth_artifacts_user_fk' })
  userId!: string | null;

  @Index('oauth_artifacts_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  /** Time at which a code or refresh token was used; null before. */
  @Column({ name: 'consumed_at', type: 'timestamptz', precision: 3, nullable: true })
  consumedAt!: Date | null;
}
