import { Body, Param } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { scopesFor } from '../../platform/rows/guardrail-rows';
import { AgentMappingResponse, AgentMappingsDto } from './agent-mappings.dto';
import { AGENT_MAPPINGS, MCP_MAPPINGS } from './mapping-kinds';
import {
  McpMapResponse,
  McpMappingResponse,
  McpMappingDto,
  McpMappingsChangeResponse,
  McpMappingsDto,
} from './mcp-mappings.dto';
import { ServerMappingsService } from './server-mappings.service';

@ControlRoutes('guardrails')
@ApiQuery(WORKSPACE_ID)
export class GuardrailServersController {
  constructor(private readonly mappings: ServerMappingsService) {}

  @Route.get(':guardrail/mcp-servers', scopesFor('read'), [McpMappingResponse])
  list(@ResourceParam('guardrail') at: ResourceReference): Promise<McpMappingResponse[]> {
    return this.mappings.list(MCP_MAPPINGS, at);
  }

  @Route.put(':guardrail/mcp-servers', scopesFor('update'), McpMappingsChangeResponse)
  replace(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Body() body: McpMappingsDto,
  ): Promise<McpMappingsChangeResponse> {
    return this.mappings.replace(MCP_MAPPINGS, caller, guardrail, body.mcp_servers);
  }

  @Route.put(':guardrail/mcp-servers/:mcpServer', scopesFor('update'), McpMapResponse)
  put(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Param('mcpServer') mcpServer: string,
    @Body() body: McpMappingDto,
  ): Promise<McpMapResponse> {
    return this.mappings.put(MCP_MAPPINGS, caller, guardrail, mcpServer, body);
  }

  @Route.get(':guardrail/agent-servers', scopesFor('read'), [AgentMappingResponse])
  listAgents(@ResourceParam('guardrail') at: ResourceReference): Promise<AgentMappingResponse[]> {
    return this.mappings.list(AGENT_MAPPINGS, at);
  }

  @Route.put(':guardrail/agent-servers', scopesFor('update'), McpMappingsChangeResponse)
  replaceAgents(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Body() body: AgentMappingsDto,
  ): Promise<McpMappingsChangeResponse> {
    return this.mappings.replace(AGENT_MAPPINGS, caller, guardrail, body.agent_servers);
  }
}
