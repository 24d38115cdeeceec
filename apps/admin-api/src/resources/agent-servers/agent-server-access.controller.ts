import { Body, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { AGENT_CARD_SCHEMA } from '../../platform/agents/agent-card-schema';
import { Requires } from '../../platform/auth/access';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { EffectiveQuery } from '../../platform/upstreams/effective-access';
import { UpdateUserAccessDto, UserAccessQuery } from '../../platform/upstreams/user-access.dto';
import { AgentAccessRulesService } from './agent-access-rules.service';
import { AgentEffectiveAccessService } from './agent-effective-access.service';
import {
  AgentAccessRulesResponse,
  AgentEffectiveResponse,
  AgentServerSkillsQuery,
  AgentServerSkillsResponse,
  AgentUserAccessResponse,
  UpdateAgentAccessRulesDto,
  UpdateAgentServerSkillsDto,
} from './agent-server-access.dto';
import { AgentServerCardService } from './agent-server-card.service';
import { AgentServerSkillsService } from './agent-server-skills.service';
import { AgentServerSuccessResponse } from './agent-servers.dto';
import { AgentUserAccessService } from './agent-user-access.service';

@ControlRoutes('agent-servers')
@ApiQuery(WORKSPACE_ID)
export class AgentServerAccessController {
  constructor(
    private readonly skills: AgentServerSkillsService,
    private readonly users: AgentUserAccessService,
    private readonly rules: AgentAccessRulesService,
    private readonly cards: AgentServerCardService,
    private readonly effectives: AgentEffectiveAccessService,
  ) {}

  @Route.get(
    ':agentServerId/skills',
    ['agent_servers.read', 'agent_server_skills.read'],
    AgentServerSkillsResponse,
  )
  listSkills(
    @ResourceParam('agentServerId') at: ResourceReference,
    @Query() query: AgentServerSkillsQuery,
  ): Promise<AgentServerSkillsResponse> {
    return this.skills.list(at, query);
  }

  @Route.put(
    ':agentServerId/skills',
    ['agent_servers.update', 'agent_server_skills.update'],
    AgentServerSuccessResponse,
  )
  updateSkills(
    @ResourceParam('agentServerId') at: ResourceReference,
    @Body() body: UpdateAgentServerSkillsDto,
  ): Promise<AgentServerSuccessResponse> {
    return this.skills.update(at, body);
  }

  @Route.get(
    ':agentServerId/user-access',
    ['agent_servers.read', 'agent_server_user_access.read'],
    AgentUserAccessResponse,
  )
  listUsers(
    @ResourceParam('agentServerId') at: ResourceReference,
    @Query() query: UserAccessQuery,
  ): Promise<AgentUserAccessResponse> {
    return this.users.list(at, query);
  }

  @Route.put(
    ':agentServerId/user-access',
    ['agent_servers.update', 'agent_server_user_access.update'],
    AgentServerSuccessResponse,
  )
  updateUsers(
    @ResourceParam('agentServerId') at: ResourceReference,
    @Body() body: UpdateUserAccessDto,
  ): Promise<AgentServerSuccessResponse> {
    return this.users.update(at, body);
  }

  @Route.get(':agentServerId/access-rules', 'agent_servers.read', AgentAccessRulesResponse)
  getRules(@ResourceParam('agentServerId') at: ResourceReference): Promise<AgentAccessRulesResponse> {
    return this.rules.get(at);
  }

  @Route.put(':agentServerId/access-rules', 'agent_servers.update')
  updateRules(
    @ResourceParam('agentServerId') at: ResourceReference,
    @Body() body: UpdateAgentAccessRulesDto,
  ): Promise<object> {
    return this.rules.update(at, body);
  }

  @Route.get(':agentServerId/effective', 'agent_servers.read', AgentEffectiveResponse)
  effective(
    @ResourceParam('agentServerId') at: ResourceReference,
    @Query() query: EffectiveQuery,
  ): Promise<AgentEffectiveResponse> {
    return this.effectives.list(at, query);
  }

  /** Returns the card that callers of the agent get from the gateway, without its signature. */
  @Get(':agentServerId/agent-card')
  @Requires('agent_servers.read')
  @ApiOkResponse({ schema: AGENT_CARD_SCHEMA })
  card(@ResourceParam('agentServerId') at: ResourceReference): Promise<object> {
    return this.cards.get(at);
  }
}
