import { McpCapabilityEntity, McpServerCapabilityEntity, McpServerEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { LISTED_TYPES, type ListedType } from '@gw/mcp';
import { listWithMoreOf, validationFailed, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { McpCapabilitiesQuery, McpCountsResponse } from '../../platform/mcp/mcp-capability-lists';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { audit, findRow, lockRow, publish } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import { saveWithNewVersion } from '../../platform/upstreams/user-access';
import {
  toServerCapability,
  type McpServerCapabilitiesResponse,
  type UpdateMcpServerCapabilitiesDto,
} from './mcp-server-capabilities.dto';
import { MCP_SERVER } from './mcp-server-rows';
import type { McpServerSuccessResponse } from './mcp-servers.dto';

/** Manages which capabilities of its integration an MCP server offers. */
@Injectable()
export class McpServerCapabilitiesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  /**
   * Lists the approved capabilities, including those that the integration or the server has
   * disabled.
   */
  async list(at: ResourceReference, query: McpCapabilitiesQuery): Promise<McpServerCapabilitiesResponse> {
    const { manager } = this.dataSource;
    const server = await findRow(manager, MCP_SERVER, at);
    const page = pageFromZero(query);
    const [rows, total] = await manager.findAndCount(McpCapabilityEntity, {
      where: approvedOf(server, query.type === undefined ? LISTED_TYPES : [query.type]),
      order: { type: 'ASC', position: 'ASC', id: 'ASC' },
      ...windowOf(page),
    });
    const off = await switchedOff(manager, server);
    return {
      ...listWithMoreOf([rows.map((row) => toServerCapability(row, !off.has(row.id))), total], page),
      counts: await countsOf(manager, server, off),
    };
  }

  /**
   * Enables or disables capabilities. Throws `validation_failed` for unknown names, and for
   * enabling a capability that the integration has disabled.
   */
  update(
    at: ResourceReference,
    { capabilities }: UpdateMcpServerCapabilitiesDto,
  ): Promise<McpServerSuccessResponse> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const server = await lockRow(write, MCP_SERVER, at);
      const rows = await manager.find(McpCapabilityEntity, {
        where: { ...approvedOf(server, LISTED_TYPES), name: In(capabilities.map(({ name }) => name)) },
        select: { id: true, type: true, name: true, enabled: true },
      });
      const byName = new Map(rows.map((row) => [`${row.type} ${row.name}`, row]));
      const faults: ErrorDetail[] = [];
      const wanted = new Map<string, boolean>();
      for (const [index, { type, name, enabled }] of capabilities.entries()) {
        const path = `capabilities.${String(index)}`;
        const row = byName.get(`${type} ${name}`);
        if (row === undefined) {
          faults.push({ path: `${path}.name`, message: `must be an approved ${type} of the server` });
        } else if (enabled && !row.enabled) {
          faults.push({ path: `${path}.enabled`, message: 'must be false: the integration has disabled it' });
        } else wanted.set(row.id, enabled);
      }
      if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
      await keep(manager, server.id, wanted);
      await saveWithNewVersion(manager, McpServerEntity, server);
      audit(write, MCP_SERVER, 'update', server, { after: { capabilities } });
      await publish(write, MCP_SERVER, server);
      return { success: true };
    });
  }
}

/** Stores which capabilities are disabled; an enabled capability has no row. */
async function keep(
  manager: EntityManager,
  serverId: string,
  wanted: ReadonlyMap<string, boolean>,
): Promise<void> {
  await manager.delete(McpServerCapabilityEntity, { serverId, capabilityId: In([...wanted.keys()]) });
  const off = [...wanted].filter(([, enabled]) => !enabled);
  await manager.insert(
    McpServerCapabilityEntity,
    off.map(([capabilityId]) => ({ serverId, capabilityId, enabled: false })),
  );
}

const approvedOf = (
  { integrationId }: McpServerEntity,
  types: readonly ListedType[],
): FindOptionsWhere<McpCapabilityEntity> => ({
  integrationId,
  type: In([...types]),
  state: In(['approved', 'serve_approved']),
  goneAt: IsNull(),
});

async function switchedOff(
  manager: EntityManager,
  { id: serverId }: McpServerEntity,
): Promise<ReadonlySet<string>> {
  const rows = await manager.findBy(McpServerCapabilityEntity, { serverId, enabled: false });
  return new Set(rows.map(({ capabilityId }) => capabilityId));
}

const COUNTED = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resource_templates: 'resource_template',
} as const;

async function countsOf(
  manager: EntityManager,
  server: McpServerEntity,
  off: ReadonlySet<string>,
): Promise<McpCountsResponse> {
  const all = await manager.find(McpCapabilityEntity, {
    where: approvedOf(server, LISTED_TYPES),
    select: { id: true, type: true, enabled: true },
  });
  const counts = Object.entries(COUNTED).map(([name, type]) => {
    const ofType = all.filter((row) => row.type === type);
    const enabled = ofType.filter((row) => row.enabled && !off.has(row.id)).length;
    return [name, { total: ofType.length, enabled }] as const;
  });
  return Object.fromEntries(counts) as unknown as McpCountsResponse;
}
