import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';
import { McpIntegrationEntity } from './mcp-integration.entity';

/**
 * Whether one workspace may use an organisation's MCP integration. A workspace without a row has
 * the integration's global access.
 */
@Entity('mcp_integration_workspaces')
@Index('mcp_integration_workspaces_uq', ['integrationId', 'workspaceId'], { unique: true })
export class McpIntegrationWorkspaceEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_integration_workspaces_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_integration_workspaces_integration_fk' })
  integrationId!: string;

  @Index('mcp_integration_workspaces_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'mcp_integration_workspaces_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;
}
