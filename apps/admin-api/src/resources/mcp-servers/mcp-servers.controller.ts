import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import {
  CreatedMcpServerResponse,
  CreateMcpServerDto,
  ListMcpServersQuery,
  UpdateMcpServerDto,
} from './mcp-servers.dto';
import { McpServersService } from './mcp-servers.service';
import {
  McpServerDetailResponse,
  McpServerListResponse,
  McpServerMetadataResponse,
  McpServerTestResponse,
} from './mcp-servers.view';

@ControlRoutes('mcp-servers')
@ApiQuery(WORKSPACE_ID)
export class McpServersController {
  constructor(private readonly servers: McpServersService) {}

  @Route.post('', 'mcp_servers.create', CreatedMcpServerResponse)
  create(@Caller() caller: Principal, @Body() body: CreateMcpServerDto): Promise<CreatedMcpServerResponse> {
    return this.servers.create(caller, body);
  }

  @Route.get('', 'mcp_servers.list', McpServerListResponse)
  list(@Caller() caller: Principal, @Query() query: ListMcpServersQuery): Promise<McpServerListResponse> {
    return this.servers.list(caller, query);
  }

  @Route.get(':mcpServerId', 'mcp_servers.read', McpServerDetailResponse)
  get(@ResourceParam('mcpServerId') at: ResourceReference): Promise<McpServerDetailResponse> {
    return this.servers.get(at);
  }

  @Route.put(':mcpServerId', 'mcp_servers.update')
  update(
    @ResourceParam('mcpServerId') at: ResourceReference,
    @Body() body: UpdateMcpServerDto,
  ): Promise<object> {
    return this.servers.update(at, body);
  }

  @Route.delete(':mcpServerId', 'mcp_servers.delete')
  remove(@ResourceParam('mcpServerId') at: ResourceReference): Promise<object> {
    return this.servers.remove(at);
  }

  @Route.get(':mcpServerId/metadata', 'mcp_servers.read', McpServerMetadataResponse)
  metadata(@ResourceParam('mcpServerId') at: ResourceReference): Promise<McpServerMetadataResponse> {
    return this.servers.metadata(at);
  }

  @Route.get(':mcpServerId/health', 'mcp_servers.read', UpstreamHealthResponse)
  health(@ResourceParam('mcpServerId') at: ResourceReference): Promise<UpstreamHealthResponse> {
    return this.servers.health(at);
  }

  @Route.post(':mcpServerId/test', 'mcp_servers.update', McpServerTestResponse)
  test(@ResourceParam('mcpServerId') at: ResourceReference): Promise<McpServerTestResponse> {
    return this.servers.test(at);
  }
}
