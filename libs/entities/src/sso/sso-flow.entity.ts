import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../identity/user.entity';
import { PlainRow } from '../row';
import { SsoConnectionEntity } from './sso-connection.entity';

/** A login at an identity provider that is in progress. Each of its steps works once. */
@Entity('sso_flows')
export class SsoFlowEntity extends PlainRow {
  /** HMAC-SHA256 of `state`, hex. */
  @PrimaryColumn({ name: 'state_hash', type: 'char', length: 64, primaryKeyConstraintName: 'sso_flows_pk' })
  stateHash!: string;

  @Column({ name: 'connection_id', type: 'uuid' })
  @ForeignKey(() => SsoConnectionEntity, { name: 'sso_flows_connection_fk', onDelete: 'CASCADE' })
  @Index('sso_flows_connection_id_ix')
  connectionId!: string;

  /** HMAC-SHA256 of a text that only the client that started the login has, hex. */
  @Column({ name: 'binding_hash', type: 'char', length: 64 })
  bindingHash!: string;

  /** `seal()` of nonce and PKCE verifier as JSON, bound to the state. */
  @Column({ name: 'sealed', type: 'text' })
  sealed!: string;

  /** User of the login; null until the identity provider has named the user. */
  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'sso_flows_user_fk' })
  userId!: string | null;

  /** Subject of the user at the provider; null until it has named the user. */
  @Column({ name: 'subject', type: 'varchar', length: 256, nullable: true })
  subject!: string | null;

  /** Session of the user at the provider; null if the provider names none. */
  @Column({ name: 'provider_session', type: 'varchar', length: 256, nullable: true })
  providerSession!: string | null;

  /** HMAC-SHA256 of the code for the session, hex; null before. */
  @Index('sso_flows_code_hash_uq', { unique: true })
  @Column({ name: 'code_hash', type: 'char', length: 64, nullable: true })
  codeHash!: string | null;

  /**
   * End of the session at the identity provider, and of ours with it; null if the provider names
   * none.
   */
  @Column({ name: 'session_ends_at', type: 'timestamptz', precision: 3, nullable: true })
  sessionEndsAt!: Date | null;

  @Column({ name: 'step', type: 'varchar', length: 16 })
  step!: 'begun' | 'returned' | 'ended';

  @Index('sso_flows_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}

/**
 * Links a user to a subject of an identity provider. An address never identifies an existing link.
 */
@Entity('sso_links')
export class SsoLinkEntity extends PlainRow {
  @PrimaryColumn({ name: 'connection_id', type: 'uuid', primaryKeyConstraintName: 'sso_links_pk' })
  @ForeignKey(() => SsoConnectionEntity, { name: 'sso_links_connection_fk', onDelete: 'CASCADE' })
  connectionId!: string;

  @PrimaryColumn({ name: 'subject', type: 'varchar', length: 256, primaryKeyConstraintName: 'sso_links_pk' })
  subject!: string;

  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey(() => UserEntity, { name: 'sso_links_user_fk' })
  @Index('sso_links_user_id_ix')
  userId!: string;

  @Column({ name: 'last_login_at', type: 'timestamptz', precision: 3 })
  lastLoginAt!: Date;

  /** Names of the groups of the last login, at most 1,000. */
  @Column({ name: 'groups', type: 'jsonb', default: [] })
  groups!: string[];
}
