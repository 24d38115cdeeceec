import { McpCapabilityEntity, type McpIntegrationEntity, type StoredMcpServerInfo } from '@gw/entities';
import { LISTED_TYPES, type CapabilityType, type JsonObject } from '@gw/mcp';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import type { McpServerTests, McpTestResponse } from '../../platform/mcp/mcp-server-tests';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import type { McpServerInfoDto, McpSyncDto } from './mcp-capabilities.dto';
import type { McpCapabilitySuccessResponse } from './mcp-capabilities.view';
import { mcpIntegrationTo } from './mcp-integration-rows';
import { keptCapabilities } from '../../platform/upstreams/capability-changes';
import type { ServerSnapshot } from './mcp-snapshot';
import { McpSnapshots } from './mcp-snapshots.service';
import { McpReadError } from './mcp-source';
import { McpSources } from './mcp-sources.service';

/** Reads servers on demand, and accepts reports of a server's capabilities. */
@Injectable()
export class McpSyncService implements McpServerTests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly snapshots: McpSnapshots,
    private readonly sources: McpSources,
  ) {}

  /**
   * Stores the information and the capabilities in the body; those that it lacks stay. Without a
   * body, reads the server now.
   */
  async sync(at: ResourceReference, input: McpSyncDto): Promise<McpCapabilitySuccessResponse> {
    const row = await findRow(this.dataSource.manager, mcpIntegrationTo('update'), at);
    const { server_info: info, capabilities } = input;
    if (info === undefined && capabilities === undefined) await this.snapshots.sync(row, at.caller);
    else if (row.kind === 'openapi') throw invalid('capabilities', OF_DOCUMENT);
    else await this.snapshots.store(row, await this.reported(row, input), at.caller);
    return { success: true };
  }

  /**
   * Returns a report as a snapshot. Throws `validation_failed` for a capability without a type or a
   * name.
   */
  private async reported(
    { id: integrationId, serverInfo }: McpIntegrationEntity,
    { server_info: info, capabilities }: McpSyncDto,
  ): Promise<ServerSnapshot> {
    const reported = info === undefined && serverInfo !== null ? serverInfo : infoOfReport(info ?? {});
    if (capabilities !== undefined) return { info: reported, ...keptCapabilities(byType(capabilities)) };
    const rows = await this.dataSource.manager.find(McpCapabilityEntity, {
      where: { integrationId, goneAt: IsNull(), type: In([...LISTED_TYPES]) },
      order: { position: 'ASC' },
    });
    const listed = rows.map(({ type, name, definition }) => ({ type, name, definition }));
    return { info: reported, capabilities: listed, isCut: false };
  }

  /** Connects to the server and stores nothing. */
  async test(at: ResourceReference): Promise<McpTestResponse> {
    return this.testServer(await findRow(this.dataSource.manager, mcpIntegrationTo('update'), at));
  }

  async testServer(row: McpIntegrationEntity): Promise<McpTestResponse> {
    const result = await this.snapshots.within(row, () => this.describe(row));
    return { url: row.url, ...result };
  }

  private async describe(row: McpIntegrationEntity): Promise<Omit<McpTestResponse, 'url'>> {
    const startedAt = performance.now();
    try {
      const { name } = await this.sources.describe(row);
      const took = Math.round(performance.now() - startedAt);
      return {
        success: true,
        status_code: 200,
        response_time_ms: took,
        server_name: name ?? '',
        error: null,
      };
    } catch (error) {
      if (!(error instanceof McpReadError)) throw error;
      const took = Math.round(performance.now() - startedAt);
      const { status, message } = error;
      return { success: false, status_code: status, response_time_ms: took, server_name: '', error: message };
    }
  }
}

const OF_DOCUMENT =
  'are those of the OpenAPI document; send an empty body to read it, or change it with PUT …/openapi';

/** Returns reported definitions by type. Throws `validation_failed` for one without a type. */
function byType(capabilities: readonly JsonObject[]): (readonly [CapabilityType, readonly JsonObject[]])[] {
  const lists = new Map<CapabilityType, JsonObject[]>(LISTED_TYPES.map((type) => [type, []]));
  for (const [index, { type, ...definition }] of capabilities.entries()) {
    const list = lists.get(type as CapabilityType);
    if (list === undefined)
      throw invalid(`capabilities.${String(index)}.type`, `must be one of ${LISTED_TYPES.join(', ')}`);
    list.push(definition);
  }
  return [...lists];
}

const infoOfReport = (info: McpServerInfoDto): StoredMcpServerInfo => {
  const { name, version, title, description, instructions } = { ...NOTHING, ...info };
  return {
    ...{ name, version, title, description, instructions },
    websiteUrl: info.website_url ?? null,
    icons: info.icons ?? [],
    protocolVersion: info.protocol_version ?? null,
    capabilities: info.capabilities ?? {},
  };
};

const NOTHING = { name: null, version: null, title: null, description: null, instructions: null };
