import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Caller, type Principal } from '../../platform/common/principal';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import {
  CreatedMcpToolsetResponse,
  CreateMcpToolsetDto,
  ListMcpToolsetsQuery,
  McpToolsetPreviewQuery,
  UpdateMcpToolsetDto,
} from './mcp-toolsets.dto';
import { McpToolsetsService } from './mcp-toolsets.service';
import { McpToolsetListResponse, McpToolsetPreviewResponse, McpToolsetResponse } from './mcp-toolsets.view';
import { ToolsetPreviewService } from './toolset-preview.service';

@ControlRoutes('mcp-toolsets')
@ApiQuery(WORKSPACE_ID)
export class McpToolsetsController {
  constructor(
    private readonly toolsets: McpToolsetsService,
    private readonly previews: ToolsetPreviewService,
  ) {}

  @Route.post('', 'mcp_servers.create', CreatedMcpToolsetResponse)
  create(@Caller() caller: Principal, @Body() body: CreateMcpToolsetDto): Promise<CreatedMcpToolsetResponse> {
    return this.toolsets.create(caller, body);
  }

  @Route.get('', 'mcp_servers.list', McpToolsetListResponse)
  list(@Caller() caller: Principal, @Query() query: ListMcpToolsetsQuery): Promise<McpToolsetListResponse> {
    return this.toolsets.list(caller, query);
  }

  @Route.get(':mcpToolsetId', 'mcp_servers.read', McpToolsetResponse)
  get(@ResourceParam('mcpToolsetId') at: ResourceReference): Promise<McpToolsetResponse> {
    return this.toolsets.get(at);
  }

  @Route.put(':mcpToolsetId', 'mcp_servers.update')
  update(
    @ResourceParam('mcpToolsetId') at: ResourceReference,
    @Body() body: UpdateMcpToolsetDto,
  ): Promise<object> {
    return this.toolsets.update(at, body);
  }

  @Route.delete(':mcpToolsetId', 'mcp_servers.delete')
  remove(@ResourceParam('mcpToolsetId') at: ResourceReference): Promise<object> {
    return this.toolsets.remove(at);
  }

  @Route.get(':mcpToolsetId/preview', 'mcp_servers.read', McpToolsetPreviewResponse)
  preview(
    @ResourceParam('mcpToolsetId') at: ResourceReference,
    @Query() query: McpToolsetPreviewQuery,
  ): Promise<McpToolsetPreviewResponse> {
    return this.previews.list(at, query);
  }
}
