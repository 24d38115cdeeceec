import { McpIntegrationWorkspaceEntity } from '@gw/entities';
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
import { mcpIntegrationTo } from './mcp-integration-rows';

const INTEGRATION = mcpIntegrationTo('update');

/** Manages which workspaces may use an organisation's MCP integration. */
@Injectable()
export class McpIntegrationWorkspacesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: ResourceReference, version: string | undefined): Promise<UpstreamWorkspacesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, mcpIntegrationTo('read'), at);
    return workspacesOf(manager, McpIntegrationWorkspaceEntity, integration, version);
  }

  /**
   * Sets the access of the named workspaces. Servers in workspaces that lose access are no longer
   * offered.
   */
  update(at: ResourceReference, input: UpdateUpstreamWorkspacesDto): Promise<object> {
    const kind = { resource: INTEGRATION, access: McpIntegrationWorkspaceEntity };
    return this.writes.run(at.caller, (write) => setWorkspaceAccess(write, kind, at, input));
  }
}
