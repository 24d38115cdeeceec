import { AgentTests } from '../../platform/agents/agent-tests';
import { AGENT_HTTP_PROVIDER } from './agent-http';
import { AgentCardHistoryService } from './agent-card-history.service';
import { AgentCardReader } from './agent-card-reader';
import { AgentCardsController } from './agent-cards.controller';
import { AgentCardsService } from './agent-cards.service';
import { AgentHealth } from './agent-health.service';
import { AgentIntegrationWorkspacesService } from './agent-integration-workspaces.service';
import { AgentIntegrationsController } from './agent-integrations.controller';
import { AgentIntegrationsService } from './agent-integrations.service';
import { AgentJobsController, AgentSkillsController } from './agent-skills.controller';
import { AgentSkillsService } from './agent-skills.service';
import { AgentSnapshots } from './agent-snapshots.service';
import { AgentTestsService } from './agent-tests.service';
import { ExtendedCards } from './extended-cards.service';

/** Controllers and providers of agent integrations and their cards. */
export const AGENT_INTEGRATIONS = {
  controllers: [
    AgentCardsController,
    AgentIntegrationsController,
    AgentSkillsController,
    AgentJobsController,
  ],
  providers: [
    AGENT_HTTP_PROVIDER,
    AgentCardReader,
    AgentCardHistoryService,
    AgentCardsService,
    AgentHealth,
    AgentIntegrationsService,
    AgentIntegrationWorkspacesService,
    AgentSkillsService,
    AgentSnapshots,
    AgentTestsService,
    ExtendedCards,
    { provide: AgentTests, useExisting: AgentTestsService },
  ],
};
