import { INTERNAL, type McpSyncResponse } from '@gw/contracts';
import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceOnly } from '../../platform/auth/access';
import { ControlRoutes } from '../../platform/control-routes';
import { McpCapabilitiesQuery } from '../../platform/mcp/mcp-capability-lists';
import { McpTestResponse } from '../../platform/mcp/mcp-server-tests';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import {
  McpChangesQuery,
  McpDecisionDto,
  McpListsChangedDto,
  McpSyncDto,
  UpdateMcpCapabilitiesDto,
} from './mcp-capabilities.dto';
import { McpCapabilitiesService } from './mcp-capabilities.service';
import {
  McpCapabilitiesResponse,
  McpCapabilitySuccessResponse,
  McpChangesResponse,
  McpDecisionResponse,
  McpMetadataResponse,
} from './mcp-capabilities.view';
import { mcpScopes } from './mcp-scopes';
import { McpSnapshots } from './mcp-snapshots.service';
import { McpSyncService } from './mcp-sync.service';

@ControlRoutes('mcp-integrations')
export class McpCapabilitiesController {
  constructor(
    private readonly capabilities: McpCapabilitiesService,
    private readonly syncs: McpSyncService,
  ) {}

  @Route.get(':mcpIntegrationId/capabilities', mcpScopes('read'), McpCapabilitiesResponse)
  list(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Query() query: McpCapabilitiesQuery,
  ): Promise<McpCapabilitiesResponse> {
    return this.capabilities.list(at, query);
  }

  @Route.put(':mcpIntegrationId/capabilities', mcpScopes('update'), McpCapabilitySuccessResponse)
  update(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Body() body: UpdateMcpCapabilitiesDto,
  ): Promise<McpCapabilitySuccessResponse> {
    return this.capabilities.update(at, body);
  }

  @Route.get(':mcpIntegrationId/metadata', mcpScopes('read'), McpMetadataResponse)
  metadata(@ResourceParam('mcpIntegrationId') at: ResourceReference): Promise<McpMetadataResponse> {
    return this.capabilities.metadata(at);
  }

  @Route.get(':mcpIntegrationId/capabilities/changes', mcpScopes('read'), McpChangesResponse)
  changes(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Query() query: McpChangesQuery,
  ): Promise<McpChangesResponse> {
    return this.capabilities.changes(at, query);
  }

  @Route.post(':mcpIntegrationId/capabilities/approve', mcpScopes('update'), McpDecisionResponse)
  approve(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Body() body: McpDecisionDto,
  ): Promise<McpDecisionResponse> {
    return this.capabilities.decide(withoutMatch(at), 'approve', body);
  }

  @Route.post(':mcpIntegrationId/capabilities/reject', mcpScopes('update'), McpDecisionResponse)
  reject(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Body() body: McpDecisionDto,
  ): Promise<McpDecisionResponse> {
    return this.capabilities.decide(withoutMatch(at), 'reject', body);
  }

  @Route.post(':mcpIntegrationId/sync', mcpScopes('update'), McpCapabilitySuccessResponse)
  sync(
    @ResourceParam('mcpIntegrationId') at: ResourceReference,
    @Body() body: McpSyncDto,
  ): Promise<McpCapabilitySuccessResponse> {
    return this.syncs.sync(at, body);
  }

  @Route.post(':mcpIntegrationId/test', mcpScopes('update'), McpTestResponse)
  test(@ResourceParam('mcpIntegrationId') at: ResourceReference): Promise<McpTestResponse> {
    return this.syncs.test(at);
  }
}

/**
 * Removes `If-Match`: the digests in a decision identify what the administrator saw, so the version
 * of the integration does not matter.
 */
const withoutMatch = (at: ResourceReference): ResourceReference => ({ ...at, ifMatch: undefined });

/** Routes that the worker and gateways call. */
@ApiExcludeController()
@Controller()
export class McpSyncJobController {
  constructor(private readonly snapshots: McpSnapshots) {}

  @Post(INTERNAL.mcpSync)
  @ServiceOnly()
  async syncDue(): Promise<McpSyncResponse> {
    return { read: await this.snapshots.syncDue() };
  }

  @Post(INTERNAL.mcpListsChanged)
  @ServiceOnly()
  async listsChanged(@Body() { integrationId }: McpListsChangedDto): Promise<McpSyncResponse> {
    await this.snapshots.syncChanged(integrationId);
    return { read: 1 };
  }
}
