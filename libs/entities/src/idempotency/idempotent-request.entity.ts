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

  /** Token of the process that executes the request. */
  @Column({ name: 'token', type: 'varchar', length: 32 })
  token!: string;

  /** Until this time no other process executes the request. */
  @Column({ name: 'lease_until', type: 'timestamptz', precision: 3 })
  leaseUntil!: Date;

  /** Whether the request's change was committed; it is set in the transaction of the change. */
  @Column({ name: 'is_carried_out', type: 'boolean', default: false })
  isCarriedOut!: boolean;

  /**
   * Response as JSON, encrypted and bound to `idempotentRequestBinding`; null until there is one,
   * and if it was too large to store.
   */
  @Column({ name: 'sealed_response', type: 'text', nullable: true })
  sealedResponse!: string | null;
}
