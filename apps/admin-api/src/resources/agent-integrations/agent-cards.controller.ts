import { Body, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { AGENT_CARD_SCHEMA } from '../../platform/agents/agent-card-schema';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { AgentCardDetailResponse, AgentCardListResponse, AgentCardsQuery } from './agent-card-history.dto';
import { AgentCardHistoryService } from './agent-card-history.service';
import { FetchAgentCardDto } from './agent-cards.dto';
import { AgentCardsService } from './agent-cards.service';
import { agentScopes } from './agent-scopes';

@ControlRoutes('agent-integrations')
export class AgentCardsController {
  constructor(
    private readonly cards: AgentCardsService,
    private readonly history: AgentCardHistoryService,
  ) {}

  /**
   * Reads and returns the card of an agent, so that users can review it before registering the
   * agent. Nothing is saved.
   */
  @Post('fetch-agent-card')
  @Requires('organisation_agent_integrations.create', 'workspace_agent_integrations.create')
  @ApiOkResponse({ schema: AGENT_CARD_SCHEMA })
  fetch(@Caller() caller: Principal, @Body() body: FetchAgentCardDto): Promise<object> {
    return this.cards.fetch(caller, body);
  }

  @Route.get(':agentIntegrationId/cards', agentScopes('read'), AgentCardListResponse)
  list(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Query() query: AgentCardsQuery,
  ): Promise<AgentCardListResponse> {
    return this.history.list(at, query);
  }

  @Route.get(':agentIntegrationId/cards/:version', agentScopes('read'), AgentCardDetailResponse)
  get(
    @ResourceParam('agentIntegrationId') at: ResourceReference,
    @Param('version') version: string,
  ): Promise<AgentCardDetailResponse> {
    return this.history.get(at, version);
  }
}
