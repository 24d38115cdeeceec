import { McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { findRow } from '../../platform/resource/rows';
import type { At } from '../../platform/resource/at';
import { mcpPlaces } from '../../platform/mcp/mcp-places.queries';
import { Writes } from '../../platform/unit-of-work/writes';
import { ConnectTickets } from './connect-tickets';
import { ConnectUrls } from './connect-urls';
import type { ConnectLinkResponse } from './mcp-connections.dto';

/** Links with which users connect to upstream MCP servers. */
@Injectable()
export class McpConnectService {
  constructor(
    private readonly writes: Writes,
    private readonly tickets: ConnectTickets,
    private readonly urls: ConnectUrls,
  ) {}

  /**
   * Returns a link for the caller's own user. Throws `mcp_connection_required` for a credential without a user, `forbidden` for a user
   * who may not call the server, and `validation_failed` for a server at which users do not sign in.
   */
  create({ caller, reference }: At): Promise<ConnectLinkResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const server = await findRow(manager, { entity: McpServerEntity }, { caller, reference });
      const { userId } = caller;
      if (userId === null) throw new GatewayError('mcp_connection_required');
      const [place] = await mcpPlaces(manager, [{ serverId: server.id, userId }]);
      if (place === undefined) throw await refusalOf(manager, server);
      const { ticket, expiresAt } = await this.tickets.issue(manager, place);
      write.audit({
        ...{ action: 'connect', resourceType: 'mcp_connections', resourceId: null },
        ...{ workspaceId: server.workspaceId, after: { server_id: server.id, user_id: userId } },
      });
      return { url: this.urls.link(server.id, ticket), expires_at: expiresAt.toISOString() };
    });
  }
}

/** Why a user cannot connect to a server. */
async function refusalOf(
  manager: EntityManager,
  { integrationId: id }: McpServerEntity,
): Promise<GatewayError> {
  const { authType } = await manager.findOneByOrFail(McpIntegrationEntity, { id });
  return authType === 'oauth_auto'
    ? new GatewayError('forbidden', { message: 'You may not call this MCP server.' })
    : invalid('mcpServerId', `Users do not sign in at this MCP server; its auth_type is ${authType}`);
}
