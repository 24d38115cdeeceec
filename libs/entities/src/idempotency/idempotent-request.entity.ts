import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { PlainRow } from '../row';

/** State of a request to the control plane under an `Idempotency-Key`. */
@Entity('idempotent_requests')
@Index('idempotent_requests_organisation_ix', ['organisationId', 'createdAt'])
@Index('idempotent_requests_created_at_ix', ['createdAt'])
export class IdempotentRequestEntity extends PlainRow {
  /** Digest of organisation, credential, method, path and key. */
  @PrimaryColumn({
    name: 'scope',
    type: 'varchar',
    length: 43,
    primaryKeyConstraintName: 'idempotent_requests_pk',
  })
  scope!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'idempotent_requests_organisation_fk' })
  organisationId!: string;

  /** Digest of query, workspace and body. */
  @Column({ name: 'fingerprint', type: 'varchar', length: 43 })
  fingerprint!: string;

  /** Token of the process that carries the request out. */
  @Column({ name: 'token', type: 'varchar', length: 32 })
  token!: string;

  /** Until then nothing else carries the request out. */
  @Column({ name: 'lease_until', type: 'timestamptz', precision: 3 })
  leaseUntil!: Date;

  /**
   * Written in the transaction of the request's own change, so it is true exactly when that change
   * is there.
   */
  @Column({ name: 'is_carried_out', type: 'boolean', default: false })
  isCarriedOut!: boolean;

  /**
   * JSON, sealed for `idempotentRequestBinding`; null until there is one, and where it was too
   * large to keep.
   */
  @Column({ name: 'sealed_response', type: 'text', nullable: true })
  sealedResponse!: string | null;
}
