import type { Enforcement, OutageMode, PolicyCondition, UsageLimitRule } from '@gw/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** A budget for those requests of a workspace that meet its conditions. */
@Entity('usage_limit_policies')
@Check('usage_limit_policies_status_ck', `status IN ('active', 'archived')`)
@Index('usage_limit_policies_page_ix', ['workspaceId', 'createdAt', 'id'])
@Index('usage_limit_policies_organisation_ix', ['organisationId', 'createdAt', 'id'])
export class UsageLimitPolicyEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'usage_limit_policies_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'usage_limit_policies_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'usage_limit_policies_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'varchar', length: 500, nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /** Conditions that a request must all meet. */
  @Column({ name: 'conditions', type: 'jsonb' })
  conditions!: readonly PolicyCondition[];

  /** Keys whose values are counted separately. */
  @Column({ name: 'group_by', type: 'jsonb' })
  groupBy!: readonly string[];

  @Column({ name: 'type', type: 'varchar', length: 16 })
  type!: UsageLimitRule['type'];

  /** USD for cost, a count otherwise. */
  @Column({ name: 'credit_limit', type: 'double precision' })
  creditLimit!: number;

  @Column({ name: 'alert_threshold', type: 'double precision', nullable: true })
  alertThreshold!: number | null;

  @Column({ name: 'periodic_reset', type: 'varchar', length: 16, nullable: true })
  periodicReset!: UsageLimitRule['periodicReset'];

  /** 1 to 365. */
  @Column({ name: 'periodic_reset_days', type: 'integer', nullable: true })
  periodicResetDays!: number | null;

  /** Midnight UTC; null: the budget never resets. */
  @Column({ name: 'next_usage_reset_at', type: 'timestamptz', precision: 3, nullable: true })
  nextUsageResetAt!: Date | null;

  @Column({ name: 'last_reset_at', type: 'timestamptz', precision: 3, nullable: true })
  lastResetAt!: Date | null;

  /** Null for `standard`. */
  @Column({ name: 'enforcement', type: 'varchar', length: 8, nullable: true })
  enforcement!: Enforcement | null;

  /**
   * Behaviour while the counters are unreachable. Null: `refuse` for a strict budget, `hold` for
   * others.
   */
  @Column({ name: 'on_outage', type: 'varchar', length: 8, nullable: true })
  onOutage!: OutageMode | null;

  /** Rank of the caller that last set it; callers of a lower rank do not change it. */
  @Column({ name: 'limits_rank', type: 'smallint', default: 0 })
  limitsRank!: number;
}
