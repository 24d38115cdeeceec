import {
  McpCapabilityEntity,
  McpServerCapabilityEntity,
  McpServerUserEntity,
  type McpServerEntity,
} from '@gw/entities';
import {
  decidingRule,
  judgeAccess,
  type AccessCaller,
  type AccessCapability,
  type AccessServer,
} from '@gw/mcp';
import { listWithMoreOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager } from 'typeorm';
import { accessServer } from '../../platform/mcp/mcp-access';
import { assertMaySee, previewedCaller } from '../../platform/mcp/mcp-previewed-callers';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { usableMcpIntegrations } from '../../platform/rows/mcp-integrations.queries';
import type { EffectiveReason, McpEffectiveQuery, McpEffectiveResponse } from './mcp-server-access.dto';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import { MCP_SERVER } from './mcp-server-rows';

type EffectiveTool = McpEffectiveResponse['data'][number];

/** Shows which tools of an MCP server a user or an API key may call, and why. */
@Injectable()
export class McpEffectiveAccessService {
  constructor(private readonly dataSource: DataSource) {}

  async list(at: ResourceReference, query: McpEffectiveQuery): Promise<McpEffectiveResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, MCP_SERVER, at);
    const caller = await previewedCaller(manager, row, query);
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
  const { kind } = judgeAccess(server, capability, caller, null);
  const rule = decidingRule(server, name, caller);
  const before = reasonBeforeRules(server, capability, caller, kind);
  if (before !== null) return { id, name, verdict: kind, reason: before, rule: null };
  const shown = rule && {
    ...{ subject: rule.subject, tools: rule.tools, effect: rule.effect },
    when: rule.when,
  };
  return { id, name, verdict: kind, reason: shown === null ? 'default' : 'rule', rule: shown };
}

/** Returns what decided before the rules of the server; null when the rules did. */
function reasonBeforeRules(
  { userAccess }: AccessServer,
  { isEnabledAtIntegration, isEnabledAtServer }: AccessCapability,
  { userId }: AccessCaller,
  verdict: string,
): EffectiveReason | null {
  if (verdict === 'insufficient_scope') return 'scope';
  if (verdict === 'server_unknown') return 'not_available';
  if (!isEnabledAtIntegration) return 'integration_disabled';
  if (!isEnabledAtServer) return 'server_disabled';
  const exception = userId === null ? undefined : userAccess.exceptions.get(userId);
  return (exception ?? userAccess.isAllowed) ? null : 'user_access';
}
