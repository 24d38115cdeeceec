import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import {
  CreateAgentServerDto,
  CreatedAgentServerResponse,
  ListAgentServersQuery,
  UpdateAgentServerDto,
} from './agent-servers.dto';
import { AgentServersService } from './agent-servers.service';
import {
  AgentServerDetailResponse,
  AgentServerListResponse,
  AgentServerTestResponse,
} from './agent-servers.view';

@ControlRoutes('agent-servers')
@ApiQuery(WORKSPACE_ID)
export class AgentServersController {
  constructor(private readonly servers: AgentServersService) {}

  @Route.post('', 'agent_servers.create', CreatedAgentServerResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateAgentServerDto,
  ): Promise<CreatedAgentServerResponse> {
    return this.servers.create(caller, body);
  }

  @Route.get('', 'agent_servers.list', AgentServerListResponse)
  list(@Caller() caller: Principal, @Query() query: ListAgentServersQuery): Promise<AgentServerListResponse> {
    return this.servers.list(caller, query);
  }

  @Route.get(':agentServerId', 'agent_servers.read', AgentServerDetailResponse)
  get(@ResourceParam('agentServerId') at: ResourceReference): Promise<AgentServerDetailResponse> {
    return this.servers.get(at);
  }

  @Route.put(':agentServerId', 'agent_servers.update')
  update(
    @ResourceParam('agentServerId') at: ResourceReference,
    @Body() body: UpdateAgentServerDto,
  ): Promise<object> {
    return this.servers.update(at, body);
  }

  @Route.delete(':agentServerId', 'agent_servers.delete')
  remove(@ResourceParam('agentServerId') at: ResourceReference): Promise<object> {
    return this.servers.remove(at);
  }

  @Route.get(':agentServerId/health', 'agent_servers.read', UpstreamHealthResponse)
  health(@ResourceParam('agentServerId') at: ResourceReference): Promise<UpstreamHealthResponse> {
    return this.servers.health(at);
  }

  @Route.post(':agentServerId/test', 'agent_servers.update', AgentServerTestResponse)
  test(@ResourceParam('agentServerId') at: ResourceReference): Promise<AgentServerTestResponse> {
    return this.servers.test(at);
  }
}
