import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { UpstreamServer } from '../upstreams/upstream-server';
import { AgentIntegrationEntity } from './agent-integration.entity';

/** An agent integration in one workspace, with the access of the workspace's members. */
@Entity('agent_servers')
@Check('agent_servers_status_ck', `status IN ('active', 'archived')`)
@Index('agent_servers_slug_uq', ['workspaceId', 'slug'], { unique: true, where: `status <> 'archived'` })
@Index('agent_servers_page_ix', ['workspaceId', 'createdAt', 'id'])
export class AgentServerEntity extends UpstreamServer {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'agent_servers_pk' })
  id!: string;

  @Index('agent_servers_organisation_id_ix')
  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'agent_servers_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'agent_servers_workspace_fk' })
  workspaceId!: string;

  @Index('agent_servers_integration_id_ix')
  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => AgentIntegrationEntity, { name: 'agent_servers_integration_fk' })
  integrationId!: string;

  /**
   * Readers of the card at the gateway: callers with a credential of the workspace, or everyone.
   */
  @Column({ name: 'listed', type: 'varchar', length: 16, default: 'workspace' })
  listed!: 'workspace' | 'public';
}
