import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { UsageLimitPolicyEntity } from './usage-limit-policy.entity';

/**
 * One value that a policy counts separately, stored since its first charge. Its usage is in the
 * ledger's balances.
 */
@Entity('usage_limit_policy_values')
@Check('usage_limit_policy_values_status_ck', `status IN ('active', 'exhausted')`)
@Index('usage_limit_policy_values_value_uq', ['policyId', 'valueKey'], { unique: true })
export class UsageLimitPolicyValueEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'usage_limit_policy_values_pk' })
  id!: string;

  @Column({ name: 'policy_id', type: 'uuid' })
  @ForeignKey(() => UsageLimitPolicyEntity, { name: 'usage_limit_policy_values_policy_fk' })
  policyId!: string;

  /**
   * `key:value` parts joined by `-`, `default` for a policy without groups; at most 256 characters.
   */
  @Column({ name: 'value_key', type: 'text' })
  valueKey!: string;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'exhausted';

  /** Time of the last reset of this value alone, independent of the policy. */
  @Column({ name: 'last_reset_at', type: 'timestamptz', precision: 3, nullable: true })
  lastResetAt!: Date | null;
}
