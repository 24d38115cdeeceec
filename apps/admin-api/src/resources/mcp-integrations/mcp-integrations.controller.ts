import { Body, Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import {
  UpdateUpstreamWorkspacesDto,
  UpstreamWorkspacesQuery,
  UpstreamWorkspacesResponse,
} from '../../platform/upstreams/workspace-access.dto';
import { McpIntegrationWorkspacesService } from './mcp-integration-workspaces.service';
import {
  CreatedMcpIntegrationResponse,
  CreateMcpIntegrationDto,
  ListMcpIntegrationsQuery,
  UpdateMcpIntegrationDto,
} from './mcp-integrations.dto';
import { McpIntegrationsService } from './mcp-integrations.service';
import {
  DeletedMcpIntegration,
  McpIntegrationListResponse,
  McpIntegrationResponse,
} from './mcp-integrations.view';
import { mcpScopes } from './mcp-scopes';

@ControlRoutes('mcp-integrations')
export class McpIntegrationsController {
  constructor(
    private readonly integrations: McpIntegrationsService,
    private readonly workspaces: McpIntegrationWorkspacesService,
  ) {}

  @Route.post('', mcpScopes('create'), CreatedMcpIntegrationResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateMcpIntegrationDto,
  ): Promise<CreatedMcpIntegrationResponse> {
    return this.integrations.create(caller, body);
  }

  @Route.get('', mcpScopes('list'), McpIntegrationListResponse)
  list(
    @Caller() caller: Principal,
    @Query() query: ListMcpIntegrationsQuery,
  ): Promise<McpIntegrationListResponse> {
    return this.integrations.list(caller, query);
  }

  @Route.get(':mcpIntegrationId', mcpScopes('read'), McpIntegrationResponse)
  get(@ResourceParam('mcpIntegrationId') at: ResourceReference): Promise<McpIntegrationResponse> {
    return this.integrations.get(at);
  }

  @Route.put(':mcpIntegrationId', mcpScopes('update'))
  update(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Body() body: UpdateMcpIntegrationDto,
  ): Promise<object> {
    return this.integrations.update(at, body);
  }

  @Route.delete(':mcpIntegrationId', mcpScopes('delete'), DeletedMcpIntegration)
  remove(@ResourceParam('mcpIntegrationId') at: ResourceReference): Promise<DeletedMcpIntegration> {
    return this.integrations.remove(at);
  }

  @Route.get(':mcpIntegrationId/workspaces', mcpScopes('read'), UpstreamWorkspacesResponse)
  listWorkspaces(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Query() { version }: UpstreamWorkspacesQuery,
  ): Promise<UpstreamWorkspacesResponse> {
    return this.workspaces.list(at, version);
  }

  @Route.put(':mcpIntegrationId/workspaces', mcpScopes('update'))
  updateWorkspaces(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Body() body: UpdateUpstreamWorkspacesDto,
  ): Promise<object> {
    return this.workspaces.update(at, body);
  }
}
