import {
  McpCapabilityEntity,
  McpServerCapabilityEntity,
  McpServerUserEntity,
  type McpServerEntity,
} from '@gw/entities';
import { judgeAccess, MCP_SCOPE, type AccessCaller, type AccessCapability, type AccessServer } from '@gw/mcp';
import { listWithMoreOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager } from 'typeorm';
import { accessServer } from '../../platform/mcp/mcp-access';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { usableMcpIntegrations } from '../../platform/rows/mcp-integrations.queries';
import { effectOf, type EffectiveQuery } from '../../platform/upstreams/effective-access';
import { assertMaySee, previewedCaller } from '../../platform/rows/previewed-callers';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import type { McpEffectiveResponse } from './mcp-server-access.dto';
import { MCP_SERVER } from './mcp-server-rows';

type EffectiveTool = McpEffectiveResponse['data'][number];

/** Explains which tools of an MCP server a user or an API key may call, and why. */
@Injectable()
export class McpEffectiveAccessService {
  constructor(private readonly dataSource: DataSource) {}

  async list(at: ResourceReference, query: EffectiveQuery): Promise<McpEffectiveResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, MCP_SERVER, at);
    const caller = await previewedCaller(manager, row, query, MCP_SCOPE);
    assertMaySee(at.caller, caller.userId);
    const page = pageFromZero(query);
    const [tools, total] = await manager.findAndCount(McpCapabilityEntity, {
      where: {
        ...{ integrationId: row.integrationId, type: 'tool', goneAt: IsNull() },
        state: In(['approved', 'serve_approved']),
      },
      order: { position: 'ASC', id: 'ASC' },
      ...windowOf(page),
    });
    const server = await accessServerOf(manager, row);
    const off = new Set(
      (
        await manager.findBy(McpServerCapabilityEntity, {
          ...{ serverId: row.id, enabled: false, capabilityId: In(tools.map(({ id }) => id)) },
        })
      ).map(({ capabilityId }) => capabilityId),
    );
    const data = tools.map((tool) => effective(server, tool, !off.has(tool.id), caller));
    return listWithMoreOf([data, total], page);
  }
}

async function accessServerOf(manager: EntityManager, row: McpServerEntity): Promise<AccessServer> {
  const { id: serverId } = row;
  const users = await manager.findBy(McpServerUserEntity, { serverId });
  const isAvailable = await usableMcpIntegrations(manager, row)
    .andWhere('i.id = :integrationId', { integrationId: row.integrationId })
    .getExists();
  return accessServer(row, users, isAvailable);
}

function effective(
  server: AccessServer,
  { id, name, approved, enabled }: McpCapabilityEntity,
  isOn: boolean,
  caller: AccessCaller,
): EffectiveTool {
  const capability: AccessCapability = {
    ...{ name, approved, isEnabledAtIntegration: enabled, isEnabledAtServer: isOn },
  };
  const verdict = judgeAccess(server, capability, caller, null);
  const { rule, ...effect } = effectOf(server, capability, caller, verdict);
  const shown = rule && { subject: rule.subject, tools: rule.tools, effect: rule.effect, when: rule.when };
  return { id, name, ...effect, rule: shown };
}
