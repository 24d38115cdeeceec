import type {
  Enforcement,
  OutageMode,
  PolicyCondition,
  RateLimitPolicyRule,
  RateLimitRule,
} from '@gw/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

/** A rate limit of those requests of a workspace that meet its conditions. */
@Entity('rate_limit_policies')
@Check('rate_limit_policies_status_ck', `status IN ('active', 'archived')`)
@Index('rate_limit_policies_page_ix', ['workspaceId', 'createdAt', 'id'])
@Index('rate_limit_policies_organisation_ix', ['organisationId', 'createdAt', 'id'])
export class RateLimitPolicyEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'rate_limit_policies_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'rate_limit_policies_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'rate_limit_policies_workspace_fk' })
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

  @Column({ name: 'target', type: 'varchar', length: 16 })
  target!: RateLimitPolicyRule['target'];

  @Column({ name: 'type', type: 'varchar', length: 16 })
  type!: RateLimitRule['type'];

  /** Null for concurrency. */
  @Column({ name: 'unit', type: 'varchar', length: 8, nullable: true })
  unit!: Exclude<RateLimitRule['unit'], 'rps'>;

  /** 1 to 10^12, which a double holds exactly. */
  @Column({ name: 'value', type: 'double precision' })
  value!: number;

  /** Null for a fixed window, or for concurrency, which has none. */
  @Column({ name: 'window_kind', type: 'varchar', length: 8, nullable: true })
  window!: 'fixed' | 'sliding' | null;

  @Column({ name: 'enforcement', type: 'varchar', length: 8, nullable: true })
  enforcement!: Enforcement | null;

  @Column({ name: 'on_outage', type: 'varchar', length: 8, nullable: true })
  onOutage!: OutageMode | null;

  /** Rank of the caller that last set it; callers of a lower rank do not change it. */
  @Column({ name: 'limits_rank', type: 'smallint', default: 0 })
  limitsRank!: number;
}
