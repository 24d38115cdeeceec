import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { Row } from '../row';

/**
 * Costs of the logs of one provider and model before and after a price change. Money is 1e-8 USD.
 */
export interface RepricingGroup {
  /**
   * Null for logs without a provider. `provider` and `model` are both null for all groups after the
   * first 1,000 too.
   */
  readonly provider: string | null;
  readonly model: string | null;
  /** Number of logs whose cost differs. */
  readonly changed: number;
  /**
   * Number of logs that cannot be priced: without a provider, of a model without a known price, or
   * with usage of several models. They keep their cost.
   */
  readonly unpriced: number;
  /** Sum of the old costs of the changed logs; a log that had no cost counts as 0. */
  readonly before: number;
  readonly after: number;
}

export interface RepricingReport {
  /** Number of examined logs. */
  readonly seen: number;
  readonly groups: readonly RepricingGroup[];
}

/** Re-pricing of the logs of a range of time: a preview first, applied on request. */
@Entity('repricings')
@Check('repricings_status_ck', `status IN ('previewing', 'previewed', 'applying', 'applied')`)
@Index('repricings_page_ix', ['organisationId', 'createdAt', 'id'])
export class RepricingEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'repricings_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'repricings_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'status', type: 'varchar', length: 16 })
  status!: 'previewing' | 'previewed' | 'applying' | 'applied';

  @Column({ name: 'start_time', type: 'timestamptz', precision: 3 })
  startTime!: Date;

  /** End of the range, excluded. */
  @Column({ name: 'end_time', type: 'timestamptz', precision: 3 })
  endTime!: Date;

  /** Provider whose logs are re-priced; null for all. */
  @Column({ name: 'provider', type: 'text', nullable: true })
  provider!: string | null;

  @Column({ name: 'model', type: 'text', nullable: true })
  model!: string | null;

  /** Time of the last examined log; with its id, the position at which a worker continues. */
  @Column({ name: 'cursor_time', type: 'timestamptz', precision: 3, nullable: true })
  cursorTime!: Date | null;

  @Column({ name: 'cursor_id', type: 'uuid', nullable: true })
  cursorId!: string | null;

  /** Report of the preview, or of the applied change. */
  @Column({ name: 'report', type: 'jsonb' })
  report!: RepricingReport;
}
