import { Body, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { AGENT_CARD_SCHEMA } from '../../platform/agents/agent-card-schema';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { FetchAgentCardDto } from './agent-cards.dto';
import { AgentCardsService } from './agent-cards.service';

@ControlRoutes('agent-integrations')
export class AgentCardsController {
  constructor(private readonly cards: AgentCardsService) {}

  /** Reads the card of an agent, so that it can be looked at before the agent is registered. Nothing is saved. */
  @Post('fetch-agent-card')
  @Requires('organisation_agent_integrations.create', 'workspace_agent_integrations.create')
  @ApiOkResponse({ schema: AGENT_CARD_SCHEMA })
  fetch(@Caller() caller: Principal, @Body() body: FetchAgentCardDto): Promise<object> {
    return this.cards.fetch(caller, body);
  }
}
