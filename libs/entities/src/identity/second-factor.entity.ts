import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';

/** An authenticator app (TOTP, RFC 6238) or a passkey (WebAuthn) of a user. */
@Entity('second_factors')
export class SecondFactorEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'second_factors_pk' })
  id!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'second_factors_user_fk' })
  @Index('second_factors_user_id_ix')
  userId!: string;

  /**
   * The only organisation in which the factor is valid: that of the password with which it was set
   * up. Null if it is valid in all.
   */
  @Column({ name: 'organisation_id', type: 'uuid', nullable: true })
  @ForeignKey(() => OrganisationEntity, { name: 'second_factors_organisation_fk' })
  organisationId!: string | null;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'kind', type: 'varchar', length: 16, default: 'totp' })
  kind!: 'totp' | 'passkey';

  /** `seal()` of the secret in Base32, bound to the factor; null for a passkey. */
  @Column({ name: 'sealed_secret', type: 'text', nullable: true })
  sealedSecret!: string | null;

  /** Credential id of the passkey in base64url; null for an app. */
  @Index('second_factors_credential_id_uq', { unique: true })
  @Column({ name: 'credential_id', type: 'varchar', length: 1366, nullable: true })
  credentialId!: string | null;

  /** COSE key of the passkey, in base64url. */
  @Column({ name: 'public_key', type: 'text', nullable: true })
  publicKey!: string | null;

  /** Signature counter of the device; always 0 for devices that do not count. */
  @Column({ name: 'sign_count', type: 'bigint', nullable: true })
  signCount!: string | null;

  /**
   * The 30-second step of the last accepted code; a code of this step or an earlier one is refused.
   */
  @Column({ name: 'last_step', type: 'integer', nullable: true })
  lastStep!: number | null;

  /**
   * Time at which a first code proved that the app has the secret. Until then it is null, and the
   * factor is not valid.
   */
  @Column({ name: 'confirmed_at', type: 'timestamptz', precision: 3, nullable: true })
  confirmedAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}

/** A code that replaces a lost factor once. Deleted when it is used or replaced. */
@Entity('recovery_codes')
export class RecoveryCodeEntity extends PlainRow {
  /**
   * SHA-256 of user id and code, hex. A code has 80 random bits, so its hash needs no key that
   * could be replaced.
   */
  @PrimaryColumn({
    name: 'code_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'recovery_codes_pk',
  })
  codeHash!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'recovery_codes_user_fk' })
  @Index('recovery_codes_user_id_ix')
  userId!: string;

  /** The only organisation in which the code is valid; null for all. */
  @Column({ name: 'organisation_id', type: 'uuid', nullable: true })
  @ForeignKey(() => OrganisationEntity, { name: 'recovery_codes_organisation_fk' })
  organisationId!: string | null;
}

/** A challenge that a passkey has answered, stored so that it works only once. */
@Entity('taken_challenges')
export class TakenChallengeEntity {
  /** HMAC-SHA256 of the challenge, hex. */
  @PrimaryColumn({
    name: 'challenge_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'taken_challenges_pk',
  })
  challengeHash!: string;

  @Index('taken_challenges_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}

/**
 * A login whose second factor is missing, after a password, a launcher's link or a change of
 * organisation. It is deleted when the session opens.
 */
@Entity('login_challenges')
export class LoginChallengeEntity extends PlainRow {
  /** HMAC-SHA256 of the challenge, hex. */
  @PrimaryColumn({
    name: 'token_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'login_challenges_pk',
  })
  tokenHash!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'login_challenges_user_fk' })
  @Index('login_challenges_user_id_ix')
  userId!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'login_challenges_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'attempts', type: 'integer', default: 0 })
  attempts!: number;

  @Index('login_challenges_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
