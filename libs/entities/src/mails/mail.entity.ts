import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { PlainRow } from '../row';

/**
 * A mail that waits to be sent; it is deleted afterwards. Each topic has at most one mail for a
 * recipient.
 */
@Entity('mails')
@Index('mails_topic_uq', ['topic', 'recipient'], { unique: true })
@Index('mails_due_at_ix', ['dueAt'])
export class MailEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mails_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mails_organisation_fk' })
  organisationId!: string;

  /** Purpose of the mail, such as `invite/<id>`. */
  @Column({ name: 'topic', type: 'varchar', length: 200 })
  topic!: string;

  @Column({ name: 'recipient', type: 'varchar', length: 320 })
  recipient!: string;

  /** An encrypted `MailMessage`, because it may contain a link that grants access. */
  @Column({ name: 'sealed', type: 'text' })
  sealed!: string;

  /** Number of started attempts. */
  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts!: number;

  /**
   * Earliest time of the next attempt. Starting an attempt moves it, so that no other worker sends
   * the mail meanwhile.
   */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  dueAt!: Date;
}
