import { McpConnectionEntity } from '@gw/entities';
import { invalid, listWithMoreOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertScope } from '../../platform/auth/scope-checks';
import { found } from '../../platform/auth/tenancy';
import { assertMaySee } from '../../platform/rows/previewed-callers';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, lockRow, present } from '../../platform/resource/rows';
import { endConnections } from '../../platform/rows/connection-ends';
import { Writes } from '../../platform/unit-of-work/writes';
import type {
  DeleteMcpConnectionQuery,
  McpConnectionsQuery,
  McpConnectionsResponse,
} from './mcp-server-access.dto';
import { MCP_SERVER } from './mcp-server-rows';
import type { McpServerSuccessResponse } from './mcp-servers.dto';

/**
 * Lists and ends the connections of users to the upstream of an MCP server. Never shows their
 * tokens.
 */
@Injectable()
export class McpConnectionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: ResourceReference, query: McpConnectionsQuery): Promise<McpConnectionsResponse> {
    const { manager } = this.dataSource;
    const { id: serverId } = await findRow(manager, MCP_SERVER, at);
    const userId = query.user_id?.toLowerCase() ?? at.caller.userId ?? undefined;
    assertMaySee(at.caller, userId);
    const [rows, total] = await manager.findAndCount(McpConnectionEntity, {
      where: { serverId, ...present({ userId }) },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    const data = rows.map((row) => ({
      user_id: row.userId,
      connected: row.status === 'connected' || row.status === 'needs_scope',
      status: row.status,
      created_at: row.createdAt.toISOString(),
      last_updated_at: row.lastUpdatedAt.toISOString(),
    }));
    return listWithMoreOf([data, total], query);
  }

  /**
   * Ends the connection of one user; its tokens are revoked in the background. Throws `not_found`
   * when there is none.
   */
  remove(at: ResourceReference, query: DeleteMcpConnectionQuery): Promise<McpServerSuccessResponse> {
    const userId = query.user_id?.toLowerCase() ?? at.caller.userId;
    return this.writes.run(at.caller, async (write) => {
      const { id: serverId } = await lockRow(write, MCP_SERVER, at);
      if (userId === null) throw invalid('user_id', 'user_id is required with a service key');
      assertMaySee(at.caller, userId);
      if (userId !== at.caller.userId) assertScope(at.caller, ['mcp_servers.update']);
      found(await write.manager.findOneBy(McpConnectionEntity, { serverId, userId }));
      const { organisationId } = at.caller;
      await endConnections(write, { organisationId, userId, serverIds: [serverId] });
      return { success: true };
    });
  }
}
