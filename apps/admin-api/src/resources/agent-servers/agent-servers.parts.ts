import { AgentAccessRulesService } from './agent-access-rules.service';
import { AgentEffectiveAccessService } from './agent-effective-access.service';
import { AgentServerAccessController } from './agent-server-access.controller';
import { AgentServerCardService } from './agent-server-card.service';
import { AgentServerSkillsService } from './agent-server-skills.service';
import { AgentServersController } from './agent-servers.controller';
import { AgentServersService } from './agent-servers.service';
import { AgentUserAccessService } from './agent-user-access.service';

/** Controllers and providers of agents in workspaces and of the access to them. */
export const AGENT_SERVERS = {
  controllers: [AgentServersController, AgentServerAccessController],
  providers: [
    AgentServersService,
    AgentServerSkillsService,
    AgentUserAccessService,
    AgentAccessRulesService,
    AgentServerCardService,
    AgentEffectiveAccessService,
  ],
};
