import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from '../identity/workspace.entity';

/** A workspace that skips the organisation's default guardrails of one direction. */
@Entity('workspace_exclusions')
@Check('workspace_exclusions_direction_ck', `direction IN ('input', 'output')`)
export class WorkspaceExclusionEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'uuid', primaryKeyConstraintName: 'workspace_exclusions_pk' })
  @ForeignKey(() => WorkspaceEntity, { name: 'workspace_exclusions_workspace_fk' })
  workspaceId!: string;

  @PrimaryColumn({
    name: 'direction',
    type: 'varchar',
    length: 8,
    primaryKeyConstraintName: 'workspace_exclusions_pk',
  })
  direction!: 'input' | 'output';

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
