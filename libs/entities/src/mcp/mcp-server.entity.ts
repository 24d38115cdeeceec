import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { UpstreamServer } from '../upstreams/upstream-server';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** An MCP integration in one workspace, with the access of the workspace's members. */
@Entity('mcp_servers')
@Check('mcp_servers_status_ck', `status IN ('active', 'archived')`)
@Index('mcp_servers_slug_uq', ['workspaceId', 'slug'], { unique: true, where: `status <> 'archived'` })
@Index('mcp_servers_page_ix', ['workspaceId', 'createdAt', 'id'])
export class McpServerEntity extends UpstreamServer {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_servers_pk' })
  id!: string;

  @Index('mcp_servers_organisation_id_ix')
  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mcp_servers_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'mcp_servers_workspace_fk' })
  workspaceId!: string;

  @Index('mcp_servers_integration_id_ix')
  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_servers_integration_fk' })
  integrationId!: string;
}
