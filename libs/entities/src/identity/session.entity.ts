import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';

/** How a login proved a second factor. */
export type SessionFactor = 'totp' | 'recovery_code' | 'passkey';

/**
 * One login of a user. Access tokens name their session; ending the session ends them immediately.
 */
@Entity('sessions')
export class SessionEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'sessions_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'sessions_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'sessions_user_fk' })
  @Index('sessions_user_id_ix')
  userId!: string;

  /** HMAC-SHA256 of the refresh token, hex. A refresh replaces it. */
  @Index('sessions_refresh_token_hash_uq', { unique: true })
  @Column({ name: 'refresh_token_hash', type: 'char', length: 64 })
  refreshTokenHash!: string;

  /** Hash of the previous refresh token. Its use proves that it was copied, so the session ends. */
  @Index('sessions_previous_token_hash_ix')
  @Column({ name: 'previous_token_hash', type: 'char', length: 64, nullable: true })
  previousTokenHash!: string | null;

  /** End of the session; a refresh does not move it. */
  @Index('sessions_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;

  /** The second factor of the login; null for a login without one. */
  @Column({ name: 'mfa', type: 'varchar', length: 16, nullable: true })
  mfa!: SessionFactor | null;

  /**
   * Whether the session belongs to a console in a browser, which has the refresh token in a cookie
   * only.
   */
  @Column({ name: 'by_cookie', type: 'boolean', default: false })
  byCookie!: boolean;

  /** Time at which the refresh token was created, for a session by cookie. */
  @Column({ name: 'token_made_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  tokenMadeAt!: Date;

  /**
   * Whether the login used a password. False for a login at an identity provider, which checks
   * second factors itself.
   */
  @Column({ name: 'by_password', type: 'boolean', default: true })
  byPassword!: boolean;

  /**
   * Whether the link that the launcher prints opened the session. It proves control of the machine
   * instead of a password.
   */
  @Column({ name: 'by_claim', type: 'boolean', default: false })
  byClaim!: boolean;

  /**
   * Whether the credential of the login is valid in every organisation of the user, so that the
   * session can switch to another one.
   */
  @Column({ name: 'counts_everywhere', type: 'boolean', default: false })
  countsEverywhere!: boolean;
}
