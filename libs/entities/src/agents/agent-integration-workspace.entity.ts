import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';
import { AgentIntegrationEntity } from './agent-integration.entity';

/**
 * Whether one workspace may use an organisation's agent integration. A workspace without a row has
 * the integration's global access.
 */
@Entity('agent_integration_workspaces')
@Index('agent_integration_workspaces_uq', ['integrationId', 'workspaceId'], { unique: true })
export class AgentIntegrationWorkspaceEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'agent_integration_workspaces_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => AgentIntegrationEntity, { name: 'agent_integration_workspaces_integration_fk' })
  integrationId!: string;

  @Index('agent_integration_workspaces_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'agent_integration_workspaces_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;
}
