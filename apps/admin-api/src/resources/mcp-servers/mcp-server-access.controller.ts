import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { McpCapabilitiesQuery } from '../../platform/mcp/mcp-capability-lists';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { EffectiveQuery } from '../../platform/upstreams/effective-access';
import { UpdateUserAccessDto, UserAccessQuery } from '../../platform/upstreams/user-access.dto';
import { McpAccessRulesService } from './mcp-access-rules.service';
import { McpConnectionsService } from './mcp-connections.service';
import { McpEffectiveAccessService } from './mcp-effective-access.service';
import {
  DeleteMcpConnectionQuery,
  McpAccessRulesResponse,
  McpConnectionsQuery,
  McpConnectionsResponse,
  McpEffectiveResponse,
  McpUserAccessResponse,
  UpdateMcpAccessRulesDto,
} from './mcp-server-access.dto';
import { McpServerCapabilitiesResponse, UpdateMcpServerCapabilitiesDto } from './mcp-server-capabilities.dto';
import { McpServerCapabilitiesService } from './mcp-server-capabilities.service';
import { McpServerSuccessResponse } from './mcp-servers.dto';
import { McpUserAccessService } from './mcp-user-access.service';

@ControlRoutes('mcp-servers')
@ApiQuery(WORKSPACE_ID)
export class McpServerAccessController {
  constructor(
    private readonly capabilities: McpServerCapabilitiesService,
    private readonly users: McpUserAccessService,
    private readonly connections: McpConnectionsService,
    private readonly rules: McpAccessRulesService,
    private readonly effectives: McpEffectiveAccessService,
  ) {}

  @Route.get(':mcpServerId/capabilities', 'mcp_servers.read', McpServerCapabilitiesResponse)
  listCapabilities(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Query() query: McpCapabilitiesQuery,
  ): Promise<McpServerCapabilitiesResponse> {
    return this.capabilities.list(at, query);
  }

  @Route.put(':mcpServerId/capabilities', 'mcp_servers.update', McpServerSuccessResponse)
  updateCapabilities(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Body() body: UpdateMcpServerCapabilitiesDto,
  ): Promise<McpServerSuccessResponse> {
    return this.capabilities.update(at, body);
  }

  @Route.get(':mcpServerId/user-access', 'mcp_servers.read', McpUserAccessResponse)
  listUsers(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Query() query: UserAccessQuery,
  ): Promise<McpUserAccessResponse> {
    return this.users.list(at, query);
  }

  @Route.put(':mcpServerId/user-access', 'mcp_servers.update', McpServerSuccessResponse)
  updateUsers(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Body() body: UpdateUserAccessDto,
  ): Promise<McpServerSuccessResponse> {
    return this.users.update(at, body);
  }

  @Route.get(':mcpServerId/connections', 'mcp_servers.read', McpConnectionsResponse)
  listConnections(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Query() query: McpConnectionsQuery,
  ): Promise<McpConnectionsResponse> {
    return this.connections.list(at, query);
  }

  /** Members may end their own connection, so the right to read the server is enough. */
  @Route.delete(':mcpServerId/connections', 'mcp_servers.read', McpServerSuccessResponse)
  removeConnection(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Query() query: DeleteMcpConnectionQuery,
  ): Promise<McpServerSuccessResponse> {
    return this.connections.remove(at, query);
  }

  @Route.get(':mcpServerId/access-rules', 'mcp_servers.read', McpAccessRulesResponse)
  getRules(@ResourceParam('mcpServerId') at: ResourceReference): Promise<McpAccessRulesResponse> {
    return this.rules.get(at);
  }

  @Route.put(':mcpServerId/access-rules', 'mcp_servers.update')
  updateRules(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Body() body: UpdateMcpAccessRulesDto,
  ): Promise<object> {
    return this.rules.update(at, body);
  }

  @Route.get(':mcpServerId/effective', 'mcp_servers.read', McpEffectiveResponse)
  effective(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Query() query: EffectiveQuery,
  ): Promise<McpEffectiveResponse> {
    return this.effectives.list(at, query);
  }
}
