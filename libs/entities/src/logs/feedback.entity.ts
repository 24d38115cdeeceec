import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';

/**
 * Rating of a trace by a person or a guardrail. It may arrive before the trace's logs, or without
 * any logs.
 */
@Entity('feedback')
@Index('feedback_trace_ix', ['workspaceId', 'traceId'])
@Index('feedback_created_at_ix', ['createdAt'])
@Index('feedback_workspace_ix', ['organisationId', 'workspaceId', 'createdAt'])
@Check('feedback_source_ck', `source IN ('api', 'guardrail')`)
export class FeedbackEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'feedback_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ name: 'trace_id', type: 'text' })
  traceId!: string;

  /** -10 to 10. */
  @Column({ name: 'value', type: 'double precision' })
  value!: number;

  /** 0 to 1. */
  @Column({ name: 'weight', type: 'double precision' })
  weight!: number;

  @Column({ name: 'metadata', type: 'jsonb', default: {} })
  metadata!: Readonly<Record<string, unknown>>;

  @Column({ name: 'source', type: 'varchar', length: 16 })
  source!: 'api' | 'guardrail';

  @Column({ name: 'api_key_id', type: 'uuid', nullable: true })
  apiKeyId!: string | null;

  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  userId!: string | null;
}
