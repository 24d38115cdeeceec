import { documentKey, isExchanged } from '@gw/contracts';
import { McpConnectionEntity, McpIntegrationEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { issuerVerdict } from '@gw/mcp';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RequestFacts } from '../../platform/common/principal';
import { sealTokens, type ConnectionTokens } from '../../platform/mcp/connection-tokens';
import { mcpPlaces, signInPlaces, type McpPlace } from '../../platform/mcp/mcp-places.queries';
import { AuditRecorder, type AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_CHANGE, FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import { Secrets } from '../../settings';
import { pinnedIssuer } from './upstream-discovery';

/** Result of an authorization server's grant for a connection. */
export interface Granted {
  readonly tokens: ConnectionTokens;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Lifetime of the access token, in seconds. */
  readonly expiresIn: number;
}

/** Reason why an attempt to connect was refused, for the audit log. */
export interface ConnectRefusal {
  readonly reason: string;
  /** Text for the user; by default, the reason. */
  readonly message?: string;
  /** User of the browser, if another one than that of the link. */
  readonly visitorId?: string;
  readonly detail?: object;
}

/** Stores the connections of users to upstream MCP servers. */
@Injectable()
export class McpConnections {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly audits: AuditRecorder,
    private readonly secrets: Secrets,
  ) {}

  /** Returns the place of a user at a server; null when the user may not use the server. */
  async placeOf(serverId: string, userId: string): Promise<McpPlace | null> {
    return (await signInPlaces(this.dataSource.manager, [{ serverId, userId }]))[0] ?? null;
  }

  /** Returns the scopes that a server requires in addition to the granted ones; usually none. */
  async wantedScopes({ serverId, userId }: McpPlace): Promise<readonly string[]> {
    const where = { serverId, userId, status: 'needs_scope' } as const;
    return (await this.dataSource.manager.findOneBy(McpConnectionEntity, where))?.wantedScopes ?? [];
  }

  integrationOf({ integrationId }: McpPlace): Promise<McpIntegrationEntity> {
    return this.dataSource.manager.findOneByOrFail(McpIntegrationEntity, { id: integrationId });
  }

  /**
   * Stores a connection and replaces an earlier one. Throws `forbidden` when the user may no longer
   * use the server, and when another issuer was pinned in the meantime.
   */
  async save(place: McpPlace, request: RequestFacts, granted: Granted): Promise<void> {
    const { serverId, userId, organisationId } = place;
    await this.writes.run(callerOf(place, request), async (write) => {
      const { manager } = write;
      // A lock serialises the connections of one integration, since the first one pins the issuer.
      const integration = await manager.findOneOrFail(McpIntegrationEntity, {
        ...{ where: { id: place.integrationId }, lock: FOR_CHANGE },
      });
      const pinned = isExchanged(place.authType) ? null : await pinnedIssuer(manager, integration);
      const [current] = await mcpPlaces(manager, [place]);
      if (current === undefined || issuerVerdict(pinned, granted.issuer) === 'error')
        throw new GatewayError('forbidden', { message: 'The connection is no longer allowed.' });
      const known = await manager.findOne(McpConnectionEntity, {
        ...{ where: { serverId, userId }, lock: FOR_UPDATE },
      });
      const row =
        known ?? manager.create(McpConnectionEntity, { id: uuidv7(), organisationId, serverId, userId });
      row.sealedTokens = sealTokens(this.secrets.sealingKeyring, row, granted.tokens);
      row.status = 'connected';
      row.issuer = granted.issuer;
      row.scopes = [...granted.scopes];
      row.wantedScopes = [];
      row.lastUsedAt = new Date();
      row.expiresAt = new Date(Date.now() + granted.expiresIn * 1_000);
      row.lease = null;
      row.leaseEndsAt = null;
      await manager.save(McpConnectionEntity, row);
      // Exchanged tokens are replaced each time they expire, which is not an action of the user.
      if (known === null || !isExchanged(place.authType))
        write.audit({
          ...{
            action: known === null ? 'create' : 'update',
            resourceType: 'mcp_connections',
            resourceId: row.id,
          },
          after: { server_id: serverId, user_id: userId, issuer: granted.issuer, scopes: granted.scopes },
        });
      write.changed(documentKey.mcpConnection(serverId, userId));
    });
  }

  /** Takes a connection out of use because its server now names another authorization server. */
  async suspend(place: McpPlace, request: RequestFacts, issuers: object): Promise<void> {
    const { serverId, userId } = place;
    await this.writes.run(callerOf(place, request), async (write) => {
      const { affected } = await write.manager.update(
        McpConnectionEntity,
        { serverId, userId },
        { status: 'error' },
      );
      write.audit({
        ...{ action: 'suspend', resourceType: 'mcp_connections', resourceId: null },
        after: { server_id: serverId, user_id: userId, ...issuers },
      });
      if (affected === 1) write.removed(documentKey.mcpConnection(serverId, userId));
    });
  }

  async recordRefusal(
    place: McpPlace,
    request: RequestFacts,
    error: GatewayError,
    { reason, visitorId, detail }: ConnectRefusal,
  ): Promise<void> {
    const { serverId, userId } = place;
    const entry = {
      ...{ action: 'refuse', resourceType: 'mcp_connections', resourceId: null },
      ...{ status: error.status, errorType: error.type },
      after: { server_id: serverId, user_id: userId, reason, ...detail },
    };
    const caller = { ...callerOf(place, request), ...(visitorId !== undefined && { userId: visitorId }) };
    await this.dataSource.transaction((manager) => this.audits.record(manager, caller, [entry]));
  }
}

export const callerOf = (
  { organisationId, workspaceId, userId }: McpPlace,
  request: RequestFacts,
): AuditCaller => ({
  kind: 'session',
  organisationId,
  workspaceId,
  userId,
  apiKeyId: null,
  request,
});
