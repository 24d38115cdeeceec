import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { SessionEntity } from '../identity/session.entity';
import { PlainRow } from '../row';
import { SsoConnectionEntity } from './sso-connection.entity';

/**
 * The login at an identity provider that opened a session, so that a logout at the provider ends
 * the session.
 */
@Entity('sso_sessions')
@Index('sso_sessions_subject_ix', ['connectionId', 'subject'])
export class SsoSessionEntity extends PlainRow {
  @PrimaryColumn({ name: 'session_id', type: 'uuid', primaryKeyConstraintName: 'sso_sessions_pk' })
  @ForeignKey(() => SessionEntity, { name: 'sso_sessions_session_fk', onDelete: 'CASCADE' })
  sessionId!: string;

  @Column({ name: 'connection_id', type: 'uuid' })
  @ForeignKey(() => SsoConnectionEntity, { name: 'sso_sessions_connection_fk', onDelete: 'CASCADE' })
  connectionId!: string;

  @Column({ name: 'subject', type: 'varchar', length: 256 })
  subject!: string;

  /** `sid` of OpenID Connect or session index of SAML; null if the provider sent none. */
  @Column({ name: 'provider_session', type: 'varchar', length: 256, nullable: true })
  providerSession!: string | null;
}

/**
 * A message of an identity provider that was used and works only once: a SAML assertion or a logout
 * token. It is stored until it expires.
 */
@Entity('sso_used_messages')
export class SsoUsedMessageEntity extends PlainRow {
  @PrimaryColumn({
    name: 'connection_id',
    type: 'uuid',
    primaryKeyConstraintName: 'sso_used_messages_pk',
  })
  @ForeignKey(() => SsoConnectionEntity, { name: 'sso_used_messages_connection_fk', onDelete: 'CASCADE' })
  connectionId!: string;

  /** SHA-256 of the provider's id of the message, hex. */
  @PrimaryColumn({
    name: 'id_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'sso_used_messages_pk',
  })
  idHash!: string;

  @Index('sso_used_messages_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
