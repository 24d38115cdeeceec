import type { McpScopeRequest, McpLinkResponse } from '@gw/contracts';
import { McpConnectionEntity, McpIntegrationEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RequestFacts } from '../../platform/common/principal';
import { signInPlaces } from '../../platform/mcp/mcp-places.queries';
import { SCOPES_MAX } from '../../platform/mcp/token-endpoint';
import { FOR_CHANGE, Writes } from '../../platform/unit-of-work/writes';
import { isInUse } from './connection-refreshes.service';
import { McpConnectService } from './mcp-connect.service';
import { callerOf } from './mcp-connections.service';
import { clientSettings, readScopes } from './upstream-discovery';

const NO_LINK: McpLinkResponse = { url: null };

/** Lets users grant scopes that a server requires in addition to those of their connections. */
@Injectable()
export class ConnectionScopes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly links: McpConnectService,
  ) {}

  /**
   * Marks the connection, which remains in use for all other calls, and creates a link with which
   * the user grants the scopes. Returns null when the user has already granted them, the integration
   * does not allow them, or the connection is not in use. If a server requires more and more scopes,
   * the last ones are requested.
   */
  async request(
    { serverId, userId, scopes }: McpScopeRequest,
    request: RequestFacts,
  ): Promise<McpLinkResponse> {
    const [place] = await signInPlaces(this.dataSource.manager, [{ serverId, userId }]);
    const wanted = readScopes(scopes.join(' '));
    if (place === undefined || wanted.length === 0) return NO_LINK;
    const isMarked = await this.writes.run(callerOf(place, request), async (write) => {
      const { manager } = write;
      const row = await manager.findOne(McpConnectionEntity, {
        where: { serverId, userId },
        lock: FOR_CHANGE,
      });
      const integration = await manager.findOneByOrFail(McpIntegrationEntity, { id: place.integrationId });
      const allowed = clientSettings(integration).scopes;
      const isAllowed = allowed === null || wanted.every((scope) => allowed.includes(scope));
      if (row === null || !isInUse(row) || row.sealedTokens === null || !isAllowed) return false;
      if (wanted.every((scope) => row.scopes.includes(scope))) return false;
      const known = new Set([...row.scopes, ...row.wantedScopes]);
      if (row.status === 'needs_scope' && wanted.every((scope) => known.has(scope))) return true;
      const union = [...new Set([...row.scopes, ...wanted, ...row.wantedScopes])].slice(0, SCOPES_MAX);
      row.status = 'needs_scope';
      row.wantedScopes = union;
      await manager.save(McpConnectionEntity, row);
      write.audit({
        ...{ action: 'needs_scope', resourceType: 'mcp_connections', resourceId: row.id },
        after: { server_id: serverId, user_id: userId, scopes: union },
      });
      return true;
    });
    return isMarked ? this.links.createFor({ serverId, userId }, request) : NO_LINK;
  }
}
