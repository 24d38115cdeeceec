import { INTERNAL, type AgentCardSyncResponse, type HealthCheckResponse } from '@gw/contracts';
import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AgentTestResponse } from '../../platform/agents/agent-tests';
import { ServiceOnly } from '../../platform/auth/access';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { AgentHealth } from './agent-health.service';
import { agentScopes, skillScopes } from './agent-scopes';
import {
  AgentSkillChangesQuery,
  AgentSkillDecisionDto,
  AgentSkillsQuery,
  UpdateAgentSkillsDto,
} from './agent-skills.dto';
import { AgentSkillsService } from './agent-skills.service';
import {
  AgentSkillChangesResponse,
  AgentSkillDecisionResponse,
  AgentSkillsResponse,
  AgentSkillSuccessResponse,
} from './agent-skills.view';
import { AgentSnapshots } from './agent-snapshots.service';
import { AgentTestsService } from './agent-tests.service';

@ControlRoutes('agent-integrations')
export class AgentSkillsController {
  constructor(
    private readonly skills: AgentSkillsService,
    private readonly tests: AgentTestsService,
  ) {}

  @Route.get(':agentIntegrationId/skills', skillScopes('read'), AgentSkillsResponse)
  list(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Query() query: AgentSkillsQuery,
  ): Promise<AgentSkillsResponse> {
    return this.skills.list(at, query);
  }

  @Route.put(':agentIntegrationId/skills', skillScopes('update'), AgentSkillSuccessResponse)
  update(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Body() body: UpdateAgentSkillsDto,
  ): Promise<AgentSkillSuccessResponse> {
    return this.skills.update(at, body);
  }

  @Route.get(':agentIntegrationId/skills/changes', skillScopes('read'), AgentSkillChangesResponse)
  changes(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Query() query: AgentSkillChangesQuery,
  ): Promise<AgentSkillChangesResponse> {
    return this.skills.changes(at, query);
  }

  @Route.post(':agentIntegrationId/skills/approve', skillScopes('update'), AgentSkillDecisionResponse)
  approve(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Body() body: AgentSkillDecisionDto,
  ): Promise<AgentSkillDecisionResponse> {
    return this.skills.decide(withoutMatch(at), 'approve', body);
  }

  @Route.post(':agentIntegrationId/skills/reject', skillScopes('update'), AgentSkillDecisionResponse)
  reject(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Body() body: AgentSkillDecisionDto,
  ): Promise<AgentSkillDecisionResponse> {
    return this.skills.decide(withoutMatch(at), 'reject', body);
  }

  @Route.post(':agentIntegrationId/sync', agentScopes('update'), AgentSkillSuccessResponse)
  sync(@ResourceParam('agentIntegrationId') at: ResourceReference): Promise<AgentSkillSuccessResponse> {
    return this.skills.sync(at);
  }

  @Route.post(':agentIntegrationId/test', agentScopes('update'), AgentTestResponse)
  test(@ResourceParam('agentIntegrationId') at: ResourceReference): Promise<AgentTestResponse> {
    return this.tests.test(at);
  }
}

/**
 * Removes `If-Match`: the digests in a decision identify what the administrator saw, so the version
 * of the integration does not matter.
 */
const withoutMatch = (at: ResourceReference): ResourceReference => ({ ...at, ifMatch: undefined });

/** Routes that the worker calls. */
@ApiExcludeController()
@Controller()
export class AgentJobsController {
  constructor(
    private readonly snapshots: AgentSnapshots,
    private readonly checks: AgentHealth,
  ) {}

  @Post(INTERNAL.agentCardSync)
  @ServiceOnly()
  async syncDue(): Promise<AgentCardSyncResponse> {
    return { read: await this.snapshots.syncDue() };
  }

  @Post(INTERNAL.agentHealth)
  @ServiceOnly()
  async checkDue(): Promise<HealthCheckResponse> {
    return { checked: await this.checks.checkDue() };
  }
}
