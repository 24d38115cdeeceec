import type { McpLinkResponse } from '@gw/contracts';
import { McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RequestFacts } from '../../platform/common/principal';
import { findRow } from '../../platform/resource/rows';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { signInPlaces, type McpPair, type McpPlace } from '../../platform/mcp/mcp-places.queries';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import { ConnectTickets } from './connect-tickets';
import { ConnectUrls } from './connect-urls';
import type { ConnectLinkResponse } from './mcp-connections.dto';

/** Creates the links with which users connect to upstream MCP servers. */
@Injectable()
export class McpConnectService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly tickets: ConnectTickets,
    private readonly urls: ConnectUrls,
  ) {}

  /**
   * Returns a link for the caller's own user. Throws `mcp_connection_required` for a credential
   * without a user, `forbidden` for a user who may not call the server, and `validation_failed` for
   * a server at which users do not sign in.
   */
  create({ caller, reference }: ResourceReference): Promise<ConnectLinkResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const server = await findRow(manager, { entity: McpServerEntity }, { caller, reference });
      const { userId } = caller;
      if (userId === null) throw new GatewayError('mcp_connection_required');
      const [place] = await signInPlaces(manager, [{ serverId: server.id, userId }]);
      if (place === undefined) throw await refusalOf(manager, server);
      const { url, expiresAt } = await this.issue(write, place);
      return { url, expires_at: expiresAt.toISOString() };
    });
  }

  /**
   * Creates a link for a user whose call at a gateway found no connection. The URL is null for a
   * user who may not call the server.
   */
  async createFor(owner: McpPair, request: RequestFacts): Promise<McpLinkResponse> {
    const [place] = await signInPlaces(this.dataSource.manager, [owner]);
    if (place === undefined) return { url: null };
    const { organisationId, workspaceId } = place;
    const caller = {
      kind: 'system',
      organisationId,
      workspaceId,
      userId: owner.userId,
      apiKeyId: null,
      request,
    } as const;
    return this.writes.run(caller, async (write) => {
      const { url } = await this.issue(write, place);
      return { url };
    });
  }

  private async issue(
    write: Write,
    place: McpPlace,
  ): Promise<{ readonly url: string; readonly expiresAt: Date }> {
    const { serverId, userId, workspaceId } = place;
    const { ticket, expiresAt } = await this.tickets.issue(write.manager, place);
    write.audit({
      ...{ action: 'connect', resourceType: 'mcp_connections', resourceId: null, workspaceId },
      after: { server_id: serverId, user_id: userId },
    });
    return { url: this.urls.link(serverId, ticket), expiresAt };
  }
}

/** Returns the error that explains why a user cannot connect to a server. */
async function refusalOf(
  manager: EntityManager,
  { integrationId: id }: McpServerEntity,
): Promise<GatewayError> {
  const { authType } = await manager.findOneByOrFail(McpIntegrationEntity, { id });
  return authType === 'oauth_auto'
    ? new GatewayError('forbidden', { message: 'You may not call this MCP server.' })
    : invalid('mcpServerId', `Users do not sign in at this MCP server; its auth_type is ${authType}`);
}
