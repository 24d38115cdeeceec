import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The newest position of one organisation's audit chain. */
@Entity('audit_chains')
export class AuditChainEntity {
  @PrimaryColumn({ name: 'organisation_id', type: 'uuid', primaryKeyConstraintName: 'audit_chains_pk' })
  organisationId!: string;

  /** Sequence of the newest row; the first row has 1. */
  @Column({ name: 'sequence', type: 'bigint' })
  sequence!: string;

  /** Hash of the newest row. */
  @Column({ name: 'hash', type: 'char', length: 64 })
  hash!: string;
}
