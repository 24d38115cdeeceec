import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { PlainRow } from '../row';

/** A mail that waits to be sent; it is gone once it was. One topic has one mail for a recipient. */
@Entity('mails')
@Index('mails_topic_uq', ['topic', 'recipient'], { unique: true })
@Index('mails_due_at_ix', ['dueAt'])
export class MailEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mails_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mails_organisation_fk' })
  organisationId!: string;

  /** Subject of the mail, such as `invite/<id>`. */
  @Column({ name: 'topic', type: 'varchar', length: 200 })
  topic!: string;

  @Column({ name: 'recipient', type: 'varchar', length: 320 })
  recipient!: string;

  /** A `MailMessage`, sealed: it may carry a link that lets someone in. */
  @Column({ name: 'sealed', type: 'text' })
  sealed!: string;

  /** Tries that were begun. */
  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts!: number;

  /**
   * Not to be tried before. A try that has begun moves it, so that another worker keeps off
   * meanwhile.
   */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  dueAt!: Date;
}
