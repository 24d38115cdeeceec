import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The outbox of the read model: one row per committed control-plane write that a gateway must learn
 * of. Rows are written only by the change recorder, which serialises the writers, so that
 * `sequence` rises by commit order.
 */
@Entity('change_events')
export class ChangeEventEntity {
  /** A bigserial, so the driver gives it as text. Gaps are writes that were rolled back. */
  @PrimaryColumn({
    name: 'sequence',
    type: 'bigint',
    generated: 'increment',
    primaryKeyConstraintName: 'change_events_pk',
  })
  sequence!: string;

  /** Document keys to read again; at most 256. */
  @Column({ name: 'changed', type: 'text', array: true })
  changed!: string[];

  /** Document keys that are gone; at most 256. */
  @Column({ name: 'removed', type: 'text', array: true })
  removed!: string[];

  /** When the write was committed, up to the length of its transaction. Rows are kept for a day. */
  @Index('change_events_created_at_ix')
  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;
}
