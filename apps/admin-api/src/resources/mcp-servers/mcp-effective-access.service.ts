import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import {
  ApiKeyEntity,
  McpCapabilityEntity,
  McpServerCapabilityEntity,
  McpServerUserEntity,
  type McpServerEntity,
} from '@gw/entities';
import {
  decidingRule,
  judgeAccess,
  MCP_SCOPE,
  userRoles,
  type AccessCaller,
  type AccessCapability,
  type AccessRule,
  type AccessServer,
} from '@gw/mcp';
import { invalid, listWithMoreOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not, type EntityManager } from 'typeorm';
import { scopesInForce, userRolesOf } from '../../platform/auth/key-scopes';
import type { At } from '../../platform/resource/at';
import { findRow } from '../../platform/resource/rows';
import { usableMcpIntegrations } from '../../platform/rows/mcp-integrations.queries';
import { userFacts } from '../../platform/rows/user-facts.queries';
import { rulesOf } from './mcp-access-rules.service';
import type { EffectiveReason, McpEffectiveQuery, McpEffectiveResponse } from './mcp-server-access.dto';
import { pageFromZero } from '../../platform/mcp/mcp-capability-lists';
import { memberIds } from './mcp-server-members.queries';
import { assertMaySee, MCP_SERVER } from './mcp-server-rows';

type EffectiveTool = McpEffectiveResponse['data'][number];

/** Shows which tools of an MCP server a user or an API key may call, and why. */
@Injectable()
export class McpEffectiveAccessService {
  constructor(private readonly dataSource: DataSource) {}

  async list(at: At, query: McpEffectiveQuery): Promise<McpEffectiveResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, MCP_SERVER, at);
    const caller = await callerOf(manager, row, query);
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
  const { id: serverId, slug } = row;
  const users = await manager.findBy(McpServerUserEntity, { serverId });
  const isAvailable = await usableMcpIntegrations(manager, row)
    .andWhere('i.id = :integrationId', { integrationId: row.integrationId })
    .getExists();
  return {
    ...{ slug, isAvailable, defaultEffect: row.defaultEffect },
    userAccess: {
      isAllowed: row.defaultUserAccess === 'allow',
      exceptions: new Map(users.map(({ userId, enabled }) => [userId, enabled])),
    },
    rules: rulesOf(row).map((rule) => ({ ...rule, server: slug }) as AccessRule),
  };
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

/** Throws `validation_failed` unless the query names one user or one key, of the server's workspace. */
async function callerOf(
  manager: EntityManager,
  server: McpServerEntity,
  { user_id: userId, api_key_id: keyId }: McpEffectiveQuery,
): Promise<AccessCaller> {
  if (userId !== undefined && keyId === undefined) {
    const id = userId.toLowerCase();
    if (!(await memberIds(manager, server, [id])).has(id))
      throw invalid('user_id', 'user_id must be a member of the workspace');
    return { ...NO_ONE, ...(await groupsAndRolesOf(manager, server, id)), userId: id, scopes: [MCP_SCOPE] };
  }
  if (keyId === undefined || userId !== undefined)
    throw invalid('user_id', 'send exactly one of user_id and api_key_id');
  const { organisationId, workspaceId } = server;
  const at = { id: keyId.toLowerCase(), organisationId, status: Not('archived' as const) };
  const key = await manager.findOneBy(ApiKeyEntity, [
    { ...at, workspaceId },
    { ...at, workspaceId: IsNull() },
  ]);
  if (!key) throw invalid('api_key_id', 'api_key_id must be an API key of the workspace');
  const roles = (await userRolesOf(manager, [key])).get(key.id);
  // No security setting denies a data-plane scope.
  const scopes = scopesInForce(
    key,
    roles ?? { organisationRole: null, workspaceRole: null },
    DEFAULT_SECURITY,
  );
  const facts = key.userId === null ? {} : await groupsAndRolesOf(manager, server, key.userId);
  return { ...NO_ONE, ...facts, userId: key.userId, keyId: key.id, scopes };
}

/** The groups and roles of a user, as gateways know them. */
async function groupsAndRolesOf(
  manager: EntityManager,
  { organisationId, workspaceId }: McpServerEntity,
  userId: string,
): Promise<Pick<AccessCaller, 'groups' | 'roles'>> {
  const [facts] = await userFacts(manager, [{ organisationId, userId }]);
  return { groups: facts?.groups ?? [], roles: facts ? userRoles(facts, workspaceId) : [] };
}

const NO_ONE: AccessCaller = {
  ...{ userId: null, groups: [], roles: [], keyId: null, clientId: null, trustId: null },
  ...{ scopes: [], key: null },
};
