import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** An MCP integration in one workspace: what its members call, and who of them may. */
@Entity('mcp_servers')
@Check('mcp_servers_status_ck', `status IN ('active', 'archived')`)
@Index('mcp_servers_slug_uq', ['workspaceId', 'slug'], { unique: true, where: `status <> 'archived'` })
@Index('mcp_servers_page_ix', ['workspaceId', 'createdAt', 'id'])
export class McpServerEntity extends Row {
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

  @Column({ name: 'slug', type: 'varchar', length: 50 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'varchar', length: 500, nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'owner_id', type: 'varchar', length: 255, nullable: true })
  ownerId!: string | null;

  /** Access of users without a row in `mcp_server_user_access`. */
  @Column({ name: 'default_user_access', type: 'varchar', length: 8, default: 'allow' })
  defaultUserAccess!: 'allow' | 'deny';

  /** `AccessRule`s of `libs/mcp`, at most 500. */
  @Column({ name: 'access_rules', type: 'jsonb', default: [] })
  accessRules!: Record<string, unknown>[];

  /** What happens to tools that no rule allows. */
  @Column({ name: 'default_effect', type: 'varchar', length: 8, default: 'allow' })
  defaultEffect!: 'allow' | 'deny';
}
