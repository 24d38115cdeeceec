import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';

/** A signing key of the installation. Each purpose has at most one `current` and one `next` key. */
@Entity('signing_keys')
@Index('signing_keys_state_uq', ['purpose', 'state'], { unique: true, where: `state IN ('next', 'current')` })
export class SigningKeyEntity extends PlainRow {
  @PrimaryColumn({ name: 'kid', type: 'varchar', length: 64, primaryKeyConstraintName: 'signing_keys_pk' })
  kid!: string;

  /**
   * `cards`: the key with which gateways sign agent cards. It signs no tokens and has a separate
   * key set.
   */
  @Column({ name: 'purpose', type: 'varchar', length: 16, default: 'tokens' })
  purpose!: 'tokens' | 'cards';

  @Column({ name: 'alg', type: 'varchar', length: 16 })
  alg!: 'ES256';

  @Column({ name: 'public_jwk', type: 'jsonb' })
  publicJwk!: object;

  /** `seal()` of the private JWK, bound to the key. */
  @Column({ name: 'sealed_private', type: 'text' })
  sealedPrivate!: string;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: 'next' | 'current' | 'previous';

  /** Time from which the key signs. */
  @Column({ name: 'not_before', type: 'timestamptz', precision: 3 })
  notBefore!: Date;

  @Column({ name: 'retired_at', type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;
}
