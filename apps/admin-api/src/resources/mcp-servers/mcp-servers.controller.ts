import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { McpHealthResponse } from '../../platform/mcp/mcp-health.dto';
import { Named, type At } from '../../platform/resource/at';
import { Route } from '../../platform/resource/route';
import {
  CreatedMcpServerDto,
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

  @Route.post('', 'mcp_servers.create', CreatedMcpServerDto)
  create(@Caller() caller: Principal, @Body() body: CreateMcpServerDto): Promise<CreatedMcpServerDto> {
    return this.servers.create(caller, body);
  }

  @Route.get('', 'mcp_servers.list', McpServerListResponse)
  list(@Caller() caller: Principal, @Query() query: ListMcpServersQuery): Promise<McpServerListResponse> {
    return this.servers.list(caller, query);
  }

  @Route.get(':mcpServerId', 'mcp_servers.read', McpServerDetailResponse)
  get(@Named('mcpServerId') at: At): Promise<McpServerDetailResponse> {
    return this.servers.get(at);
  }

  @Route.put(':mcpServerId', 'mcp_servers.update')
  update(@Named('mcpServerId') at: At, @Body() body: UpdateMcpServerDto): Promise<object> {
    return this.servers.update(at, body);
  }

  @Route.delete(':mcpServerId', 'mcp_servers.delete')
  remove(@Named('mcpServerId') at: At): Promise<object> {
    return this.servers.remove(at);
  }

  @Route.get(':mcpServerId/metadata', 'mcp_servers.read', McpServerMetadataResponse)
  metadata(@Named('mcpServerId') at: At): Promise<McpServerMetadataResponse> {
    return this.servers.metadata(at);
  }

  @Route.get(':mcpServerId/health', 'mcp_servers.read', McpHealthResponse)
  health(@Named('mcpServerId') at: At): Promise<McpHealthResponse> {
    return this.servers.health(at);
  }

  @Route.post(':mcpServerId/test', 'mcp_servers.update', McpServerTestResponse)
  test(@Named('mcpServerId') at: At): Promise<McpServerTestResponse> {
    return this.servers.test(at);
  }
}
