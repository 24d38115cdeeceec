import { AgentIntegrationWorkspaceEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { setWorkspaceAccess, workspacesOf } from '../../platform/upstreams/workspace-access';
import type {
  UpdateUpstreamWorkspacesDto,
  UpstreamWorkspacesResponse,
} from '../../platform/upstreams/workspace-access.dto';
import { agentIntegrationTo } from './agent-integration-rows';

const INTEGRATION = agentIntegrationTo('update');

/** Manages which workspaces may use an organisation's agent integration. */
@Injectable()
export class AgentIntegrationWorkspacesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: ResourceReference, version: string | undefined): Promise<UpstreamWorkspacesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, agentIntegrationTo('read'), at);
    return workspacesOf(manager, AgentIntegrationWorkspaceEntity, integration, version);
  }

  /**
   * Sets the access of the named workspaces. Agents in workspaces that lose access are no longer
   * offered.
   */
  update(at: ResourceReference, input: UpdateUpstreamWorkspacesDto): Promise<object> {
    const kind = { resource: INTEGRATION, access: AgentIntegrationWorkspaceEntity };
    return this.writes.run(at.caller, (write) => setWorkspaceAccess(write, kind, at, input));
  }
}
