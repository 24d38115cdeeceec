import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The outbox of the read model: one row for each committed write of the control plane that gateways
 * must apply. Only the change recorder writes rows; it serialises writers, so that `sequence`
 * increases in commit order.
 */
@Entity('change_events')
export class ChangeEventEntity {
  /** A bigserial, which the driver returns as text. Gaps are writes that were rolled back. */
  @PrimaryColumn({
    name: 'sequence',
    type: 'bigint',
    generated: 'increment',
    primaryKeyConstraintName: 'change_events_pk',
  })
  sequence!: string;

  /** Keys of documents to read again; at most 256. */
  @Column({ name: 'changed', type: 'text', array: true })
  changed!: string[];

  /** Keys of deleted documents; at most 256. */
  @Column({ name: 'removed', type: 'text', array: true })
  removed!: string[];

  /** Start of the transaction that committed the write. Rows are kept for a day. */
  @Index('change_events_created_at_ix')
  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;
}
