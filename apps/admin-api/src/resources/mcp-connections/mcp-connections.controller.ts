import { INTERNAL, type McpLinkResponse, type McpRefreshResponse } from '@gw/contracts';
import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiExcludeController, ApiQuery } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ServiceOnly } from '../../platform/auth/access';
import { factsOf } from '../../platform/auth/principals.service';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { ConnectionScopes } from './connection-scopes.service';
import { ConnectionRefreshes } from './connection-refreshes.service';
import { McpConnectService } from './mcp-connect.service';
import {
  ConnectionOwnerDto,
  ConnectionScopesDto,
  ConnectLinkResponse,
  RefreshConnectionDto,
} from './mcp-connections.dto';

@ControlRoutes('mcp-servers')
@ApiQuery(WORKSPACE_ID)
export class McpConnectController {
  constructor(private readonly links: McpConnectService) {}

  /**
   * Creates a link with which the credential's user signs in at the upstream server. It works once,
   * for ten minutes.
   */
  @Route.post(':mcpServerId/connect', ['mcp.invoke', 'mcp_servers.read'], ConnectLinkResponse)
  connect(@ResourceParam('mcpServerId') at: ResourceReference): Promise<ConnectLinkResponse> {
    return this.links.create(at);
  }
}

/** Routes that gateways call. */
@ApiExcludeController()
@Controller()
export class GatewayConnectionsController {
  constructor(
    private readonly refreshes: ConnectionRefreshes,
    private readonly links: McpConnectService,
    private readonly scopes: ConnectionScopes,
  ) {}

  @Post(INTERNAL.mcpConnectionScopes)
  @ServiceOnly()
  widen(@Body() body: ConnectionScopesDto, @Req() request: FastifyRequest): Promise<McpLinkResponse> {
    return this.scopes.request(body, factsOf(request));
  }

  @Post(INTERNAL.mcpConnectionLink)
  @ServiceOnly()
  link(@Body() body: ConnectionOwnerDto, @Req() request: FastifyRequest): Promise<McpLinkResponse> {
    return this.links.createFor(body, factsOf(request));
  }

  @Post(INTERNAL.mcpConnectionRefresh)
  @ServiceOnly()
  refresh(@Body() body: RefreshConnectionDto, @Req() request: FastifyRequest): Promise<McpRefreshResponse> {
    return this.refreshes.refresh(body, factsOf(request));
  }
}
