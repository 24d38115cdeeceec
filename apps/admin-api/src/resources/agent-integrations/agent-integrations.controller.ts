import { Body, Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import {
  UpdateUpstreamWorkspacesDto,
  UpstreamWorkspacesQuery,
  UpstreamWorkspacesResponse,
} from '../../platform/upstreams/workspace-access.dto';
import { AgentIntegrationWorkspacesService } from './agent-integration-workspaces.service';
import {
  CreateAgentIntegrationDto,
  CreatedAgentIntegrationResponse,
  ListAgentIntegrationsQuery,
  UpdateAgentIntegrationDto,
} from './agent-integrations.dto';
import { AgentIntegrationsService } from './agent-integrations.service';
import {
  AgentIntegrationDetailResponse,
  AgentIntegrationListResponse,
  DeletedAgentIntegration,
} from './agent-integrations.view';
import { agentScopes } from './agent-scopes';

@ControlRoutes('agent-integrations')
export class AgentIntegrationsController {
  constructor(
    private readonly integrations: AgentIntegrationsService,
    private readonly workspaces: AgentIntegrationWorkspacesService,
  ) {}

  @Route.post('', agentScopes('create'), CreatedAgentIntegrationResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateAgentIntegrationDto,
  ): Promise<CreatedAgentIntegrationResponse> {
    return this.integrations.create(caller, body);
  }

  @Route.get('', agentScopes('list'), AgentIntegrationListResponse)
  list(
    @Caller() caller: Principal,
    @Query() query: ListAgentIntegrationsQuery,
  ): Promise<AgentIntegrationListResponse> {
    return this.integrations.list(caller, query);
  }

  @Route.get(':agentIntegrationId', agentScopes('read'), AgentIntegrationDetailResponse)
  get(@ResourceParam('agentIntegrationId') at: ResourceReference): Promise<AgentIntegrationDetailResponse> {
    return this.integrations.get(at);
  }

  @Route.put(':agentIntegrationId', agentScopes('update'))
  update(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Body() body: UpdateAgentIntegrationDto,
  ): Promise<object> {
    return this.integrations.update(at, body);
  }

  @Route.delete(':agentIntegrationId', agentScopes('delete'), DeletedAgentIntegration)
  remove(@ResourceParam('agentIntegrationId') at: ResourceReference): Promise<DeletedAgentIntegration> {
    return this.integrations.remove(at);
  }

  @Route.get(':agentIntegrationId/health', agentScopes('read'), UpstreamHealthResponse)
  health(@ResourceParam('agentIntegrationId') at: ResourceReference): Promise<UpstreamHealthResponse> {
    return this.integrations.health(at);
  }

  @Route.get(':agentIntegrationId/workspaces', agentScopes('read'), UpstreamWorkspacesResponse)
  listWorkspaces(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Query() { version }: UpstreamWorkspacesQuery,
  ): Promise<UpstreamWorkspacesResponse> {
    return this.workspaces.list(at, version);
  }

  @Route.put(':agentIntegrationId/workspaces', agentScopes('update'))
  updateWorkspaces(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Body() body: UpdateUpstreamWorkspacesDto,
  ): Promise<object> {
    return this.workspaces.update(at, body);
  }
}
