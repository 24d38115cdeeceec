import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { StoredRateLimit, StoredUsageLimit } from '../identity/limits';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { PlainRow } from '../row';
import { IntegrationEntity } from './integration.entity';

/**
 * Whether one workspace may use an organisation's integration, and its limits. A workspace without
 * a row has the global access.
 */
@Entity('integration_workspaces')
@Index('integration_workspaces_workspace_uq', ['integrationId', 'workspaceId'], { unique: true })
export class IntegrationWorkspaceEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'integration_workspaces_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => IntegrationEntity, { name: 'integration_workspaces_integration_fk' })
  integrationId!: string;

  @Index('integration_workspaces_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'integration_workspaces_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;

  /** Null or one item. */
  @Column({ name: 'usage_limits', type: 'jsonb', nullable: true })
  usageLimits!: StoredUsageLimit[] | null;

  /** Null or one item. */
  @Column({ name: 'rate_limits', type: 'jsonb', nullable: true })
  rateLimits!: StoredRateLimit[] | null;

  @Column({ name: 'last_reset_at', type: 'timestamptz', precision: 3, nullable: true })
  lastResetAt!: Date | null;
}
