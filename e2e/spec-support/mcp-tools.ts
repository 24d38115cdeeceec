import { AgentSkillEntity } from '@gw/entities';
import type { TestAdminApi, Tenant } from '../../apps/admin-api/src/spec-support/admin-api';
import {
  insertAgentIntegration,
  insertAgentServer,
} from '../../apps/admin-api/src/spec-support/agent-servers';
import {
  insertCapability,
  insertMcpIntegration,
  insertMcpServer,
} from '../../apps/admin-api/src/spec-support/mcp-servers';
import type { State } from '../../apps/cli/src/reconcile';
import { AGENT_SERVER, AGENT_SKILL, MCP_SERVER, MCP_TOOL } from './cli-states';

/** Ids of an MCP server, a tool, an agent and a skill that a guardrail can judge. */
export interface Tools {
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly skill: string;
}

/**
 * Inserts an MCP server with one tool and an agent with one skill into the tenant, and returns
 * their ids.
 */
export async function insertTools(admin: TestAdminApi, tenant: Tenant): Promise<Tools> {
  const { manager } = admin.dataSource;
  const { id } = await insertMcpIntegration(manager, tenant, { slug: 'inserted' });
  const server = await insertMcpServer(manager, tenant, id, { slug: 'inserted' });
  const tool = await insertCapability(manager, id, 'read');
  const { id: integrationId } = await insertAgentIntegration(manager, tenant, { slug: 'inserted' });
  const agent = await insertAgentServer(manager, tenant, integrationId, { slug: 'inserted' });
  const skill = await manager.findOneByOrFail(AgentSkillEntity, { integrationId, type: 'skill' });
  return { server: server.id, tool: tool.id, agent: agent.id, skill: skill.id };
}

const IN_STATES: Tools = { server: MCP_SERVER, tool: MCP_TOOL, agent: AGENT_SERVER, skill: AGENT_SKILL };

/** Returns the state with the ids of a tenant in place of `from`. */
export const withTools = (state: State, to: Tools, from: Tools = IN_STATES): State =>
  JSON.parse(
    (['server', 'tool', 'agent', 'skill'] as const).reduce(
      (text, name) => text.replaceAll(from[name], to[name]),
      JSON.stringify(state),
    ),
  ) as State;
