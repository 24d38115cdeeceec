import { INTERNAL, type HealthCheckResponse } from '@gw/contracts';
import { Body, Controller, Param, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceOnly } from '../../platform/auth/access';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { UpstreamHealthResponse } from '../../platform/upstreams/upstream-health.dto';
import { McpHealth } from './mcp-health.service';
import {
  McpVersionListResponse,
  McpVersionsQuery,
  RestoreMcpVersionDto,
} from './mcp-integration-versions.dto';
import { McpIntegrationsService } from './mcp-integrations.service';
import { mcpScopes } from './mcp-scopes';

@ControlRoutes('mcp-integrations')
export class McpIntegrationVersionsController {
  constructor(private readonly integrations: McpIntegrationsService) {}

  @Route.get(':mcpIntegrationId/versions', mcpScopes('read'), McpVersionListResponse)
  list(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Query() query: McpVersionsQuery,
  ): Promise<McpVersionListResponse> {
    return this.integrations.versions(at, query);
  }

  @Route.post(':mcpIntegrationId/versions/:version/restore', mcpScopes('update'))
  restore(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Param('version') version: string,
    @Body() body: RestoreMcpVersionDto,
  ): Promise<object> {
    return this.integrations.restore(at, version, body);
  }

  @Route.get(':mcpIntegrationId/health', mcpScopes('read'), UpstreamHealthResponse)
  health(@ResourceParam('mcpIntegrationId') at: ResourceReference): Promise<UpstreamHealthResponse> {
    return this.integrations.health(at);
  }
}

/** Routes that the worker calls. */
@ApiExcludeController()
@Controller()
export class McpHealthJobController {
  constructor(private readonly checks: McpHealth) {}

  @Post(INTERNAL.mcpHealth)
  @ServiceOnly()
  async checkDue(): Promise<HealthCheckResponse> {
    return { checked: await this.checks.checkDue() };
  }
}
