import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { ApiKeyEntity } from './api-key.entity';

/**
 * One secret of an API key. A key has one `current` secret and at most one in `transition`, which a
 * rotation replaced and which works until `expires_at`. Expired secrets are deleted.
 */
@Entity('api_key_secrets')
@Index('api_key_secrets_transition_ix', ['expiresAt'], { where: `(state)::text = 'transition'::text` })
@Index('api_key_secrets_api_key_state_uq', ['apiKeyId', 'state'], { unique: true })
export class ApiKeySecretEntity extends PlainRow {
  /** HMAC-SHA256 of the secret, hex. The secret itself is shown once and not stored. */
  @PrimaryColumn({
    name: 'secret_hash',
    type: 'char',
    length: 64,
    primaryKeyConstraintName: 'api_key_secrets_pk',
  })
  secretHash!: string;

  @Column({ name: 'api_key_id', type: 'uuid' })
  @ForeignKey(() => ApiKeyEntity, { name: 'api_key_secrets_api_key_fk', onDelete: 'CASCADE' })
  apiKeyId!: string;

  /** First two and last three characters: `z1*****3AX`. */
  @Column({ name: 'masked', type: 'varchar', length: 16 })
  masked!: string;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: 'current' | 'transition';

  /** End of the transition; null for a current secret. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /**
   * The encrypted secret, if a rotation by policy created it and nobody has fetched it yet; else
   * null.
   */
  @Column({ name: 'sealed', type: 'text', nullable: true })
  sealed!: string | null;

  /** When the owner was notified that this secret, in transition, is about to end. */
  @Column({ name: 'warned_at', type: 'timestamptz', precision: 3, nullable: true })
  warnedAt!: Date | null;
}
