import type { DocumentKey } from '@gw/contracts';
import {
  AgentServerEntity,
  AgentSkillEntity,
  GuardrailAgentServerEntity,
  GuardrailMcpServerEntity,
  McpCapabilityEntity,
  McpServerEntity,
  type GuardrailEntity,
  type GuardrailMapping,
  type UpstreamCapability,
  type UpstreamServer,
} from '@gw/entities';
import type { EntityManager } from 'typeorm';
import { keysOfGuardedAgents } from '../../platform/rows/agent-rows';
import { keysOfGuardedServers } from '../../platform/rows/mcp-rows';
import type { AgentMappingResponse } from './agent-mappings.dto';
import type { McpMappingResponse } from './mcp-mappings.dto';

/** Kind of upstream that a guardrail can check: MCP servers or agents of workspaces. */
export interface MappingKind<M extends GuardrailMapping = GuardrailMapping, V extends object = object> {
  readonly entity: new () => M;
  readonly servers: new () => UpstreamServer;
  readonly capabilities: new () => UpstreamCapability;
  /** Request member that contains all mappings. */
  readonly member: 'mcp_servers' | 'agent_servers';
  /** Request members with the ids of tools or skills: the primary name, then its aliases. */
  readonly parts: readonly [string, ...string[]];
  /** Names in messages: one server or agent, several of them, and their parts. */
  readonly one: string;
  readonly many: string;
  readonly partsOf: string;
  /** Type of the upstream itself among its capabilities, which cannot be mapped. */
  readonly selfType: 'server' | 'agent';
  readonly view: (row: M) => V;
  /** Returns the document keys of the servers or agents that the guardrail checks. */
  readonly keys: (manager: EntityManager, guardrail: GuardrailEntity) => Promise<DocumentKey[]>;
}

export const toMapping = (row: GuardrailMcpServerEntity): McpMappingResponse => ({
  id: row.id,
  guardrail_id: row.guardrailId,
  mcp_server_id: row.serverId,
  run_on: row.runOn,
  capability_ids: row.capabilityIds,
  mcp_integration_capability_ids: row.capabilityIds,
});

const toAgentMapping = (row: GuardrailAgentServerEntity): AgentMappingResponse => ({
  id: row.id,
  guardrail_id: row.guardrailId,
  agent_server_id: row.serverId,
  run_on: row.runOn,
  skill_ids: row.capabilityIds,
});

export const MCP_MAPPINGS: MappingKind<GuardrailMcpServerEntity, McpMappingResponse> = {
  ...{ entity: GuardrailMcpServerEntity, servers: McpServerEntity, capabilities: McpCapabilityEntity },
  ...{ member: 'mcp_servers', parts: ['capability_ids', 'mcp_integration_capability_ids'] },
  ...{ one: 'MCP server', many: 'servers', partsOf: 'tools', selfType: 'server' },
  ...{ view: toMapping, keys: keysOfGuardedServers },
};

export const AGENT_MAPPINGS: MappingKind<GuardrailAgentServerEntity, AgentMappingResponse> = {
  ...{ entity: GuardrailAgentServerEntity, servers: AgentServerEntity, capabilities: AgentSkillEntity },
  ...{ member: 'agent_servers', parts: ['skill_ids'] },
  ...{ one: 'agent', many: 'agents', partsOf: 'skills', selfType: 'agent' },
  ...{ view: toAgentMapping, keys: keysOfGuardedAgents },
};
