import { McpConnectionEntity, McpServerUserEntity } from '@gw/entities';
import { listWithMoreOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, lockRow } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { accessOfMembers, type ServerMember } from '../../platform/upstreams/server-members.queries';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import { setUserAccess, toMemberAccess } from '../../platform/upstreams/user-access';
import type { UpdateUserAccessDto, UserAccessQuery } from '../../platform/upstreams/user-access.dto';
import type { McpUserAccessResponse } from './mcp-server-access.dto';
import { MCP_SERVER } from './mcp-server-rows';
import type { McpServerSuccessResponse } from './mcp-servers.dto';

interface McpMember extends ServerMember {
  readonly connected: boolean;
}

/** Manages which members of a workspace may use an MCP server. */
@Injectable()
export class McpUserAccessService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: ResourceReference, query: UserAccessQuery): Promise<McpUserAccessResponse> {
    const { manager } = this.dataSource;
    const server = await findRow(manager, MCP_SERVER, at);
    const page = pageFromZero(query);
    const [members, total] = await accessOfMembers<McpMember>(manager, server, page, {
      search: query.search,
      users: McpServerUserEntity,
      more: (rows) =>
        rows
          .leftJoin(
            McpConnectionEntity,
            'connection',
            `connection.userId = member.userId AND connection.serverId = :serverId AND connection.status IN ('connected', 'needs_scope')`,
          )
          .addSelect('connection.id IS NOT NULL', 'connected'),
    });
    const data = members.map((member) => ({
      ...toMemberAccess(server, member),
      connection_status: member.connected ? ('connected' as const) : ('not_connected' as const),
    }));
    return { ...listWithMoreOf([data, total], page), default_user_access: server.defaultUserAccess };
  }

  /** Throws `validation_failed` for users who are not members of the workspace. */
  update(at: ResourceReference, input: UpdateUserAccessDto): Promise<McpServerSuccessResponse> {
    const kind = { resource: MCP_SERVER, users: McpServerUserEntity };
    return this.writes.run(at.caller, async (write) => {
      await setUserAccess(write, kind, await lockRow(write, MCP_SERVER, at), input);
      return { success: true };
    });
  }
}
