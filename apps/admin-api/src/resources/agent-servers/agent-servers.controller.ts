import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { Named, type At } from '../../platform/resource/at';
import { Route } from '../../platform/resource/route';
import {
  CreateAgentServerDto,
  CreatedAgentServerDto,
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

  @Route.post('', 'agent_servers.create', CreatedAgentServerDto)
  create(@Caller() caller: Principal, @Body() body: CreateAgentServerDto): Promise<CreatedAgentServerDto> {
    return this.servers.create(caller, body);
  }

  @Route.get('', 'agent_servers.list', AgentServerListResponse)
  list(@Caller() caller: Principal, @Query() query: ListAgentServersQuery): Promise<AgentServerListResponse> {
    return this.servers.list(caller, query);
  }

  @Route.get(':agentServerId', 'agent_servers.read', AgentServerDetailResponse)
  get(@Named('agentServerId') at: At): Promise<AgentServerDetailResponse> {
    return this.servers.get(at);
  }

  @Route.put(':agentServerId', 'agent_servers.update')
  update(@Named('agentServerId') at: At, @Body() body: UpdateAgentServerDto): Promise<object> {
    return this.servers.update(at, body);
  }

  @Route.delete(':agentServerId', 'agent_servers.delete')
  remove(@Named('agentServerId') at: At): Promise<object> {
    return this.servers.remove(at);
  }

  @Route.post(':agentServerId/test', 'agent_servers.update', AgentServerTestResponse)
  test(@Named('agentServerId') at: At): Promise<AgentServerTestResponse> {
    return this.servers.test(at);
  }
}
