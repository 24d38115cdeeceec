import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';

/** How a login proved a second factor. */
export type SessionFactor = 'totp' | 'recovery_code' | 'passkey';

/** One login of a user. Its access tokens name it; ending it ends them at once. */
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

  /** The refresh token before: its use proves a copy, so the session ends. */
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

  /** True: of a console in a browser, which has the refresh token in a cookie and no other. */
  @Column({ name: 'by_cookie', type: 'boolean', default: false })
  byCookie!: boolean;

  /** When the refresh token was made, for a session by cookie. */
  @Column({ name: 'token_made_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  tokenMadeAt!: Date;

  /** False for a login at an identity provider, which checks factors itself. */
  @Column({ name: 'by_password', type: 'boolean', default: true })
  byPassword!: boolean;

  /**
   * True: opened by the link that the launcher prints, which proves control of the machine instead
   * of a password.
   */
  @Column({ name: 'by_claim', type: 'boolean', default: false })
  byClaim!: boolean;

  /**
   * True: what opened it counts in every organisation of the user, so that the session can change
   * to another one.
   */
  @Column({ name: 'counts_everywhere', type: 'boolean', default: false })
  countsEverywhere!: boolean;
}
