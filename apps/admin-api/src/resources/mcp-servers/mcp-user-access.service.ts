import { McpServerUserEntity, type McpServerEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { listWithMoreOf, validationFailed } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { At } from '../../platform/resource/at';
import { audit, findRow, lockRow, publish } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import type {
  McpUserAccessQuery,
  McpUserAccessResponse,
  UpdateMcpUserAccessDto,
} from './mcp-server-access.dto';
import { pageFromZero } from '../../platform/mcp/mcp-capability-lists';
import { accessOfMembers, memberIds } from '../../platform/mcp/mcp-server-members.queries';
import { MCP_SERVER, touch } from './mcp-server-rows';
import type { McpServerSuccessResponse } from './mcp-servers.dto';

/** Which members of a workspace may use an MCP server. */
@Injectable()
export class McpUserAccessService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: At, query: McpUserAccessQuery): Promise<McpUserAccessResponse> {
    const { manager } = this.dataSource;
    const server = await findRow(manager, MCP_SERVER, at);
    const page = pageFromZero(query);
    const [members, total] = await accessOfMembers(manager, server, page, query.search);
    const isAllowed = server.defaultUserAccess === 'allow';
    const data = members.map(({ exception, connected, ...member }) => ({
      ...member,
      enabled: exception ?? isAllowed,
      has_override: exception !== null,
      connection_status: connected ? ('connected' as const) : ('not_connected' as const),
    }));
    return { ...listWithMoreOf([data, total], page), default_user_access: server.defaultUserAccess };
  }

  /** Throws `validation_failed` for users who are not members of the workspace. */
  update(at: At, input: UpdateMcpUserAccessDto): Promise<McpServerSuccessResponse> {
    const wanted = input.user_access ?? [];
    const ids = wanted.map(({ user_id }) => user_id.toLowerCase());
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const row = await lockRow(write, MCP_SERVER, at);
      await assertMembers(manager, row, ids);
      const before = { default_user_access: row.defaultUserAccess };
      const rows = wanted.map(({ enabled }, index) => ({
        ...{ serverId: row.id, userId: ids[index] as string, enabled },
      }));
      await manager.upsert(McpServerUserEntity, rows, ['serverId', 'userId']);
      row.defaultUserAccess = input.default_user_access ?? row.defaultUserAccess;
      await touch(manager, row);
      const after = { default_user_access: row.defaultUserAccess, user_access: wanted };
      audit(write, MCP_SERVER, 'update', row, { before, after });
      await publish(write, MCP_SERVER, row);
      return { success: true };
    });
  }
}

async function assertMembers(
  manager: EntityManager,
  row: McpServerEntity,
  ids: readonly string[],
): Promise<void> {
  const members = await memberIds(manager, row, ids);
  const faults: ErrorDetail[] = ids.flatMap((id, index) => {
    const isKnown = members.has(id) && ids.indexOf(id) === index;
    const path = `user_access.${String(index)}.user_id`;
    return isKnown ? [] : [{ path, message: 'must be a member of the workspace, and not occur twice' }];
  });
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
}
