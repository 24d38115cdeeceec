import { documentKey, isExchanged, type McpRefreshRequest, type McpRefreshResponse } from '@gw/contracts';
import { McpConnectionEntity, McpRevocationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import type { RequestFacts } from '../../platform/common/principal';
import {
  connectionVersion,
  openTokens,
  sealTokens,
  type ConnectionTokens,
} from '../../platform/mcp/connection-tokens';
import { mcpPlaces } from '../../platform/mcp/mcp-places.queries';
import { TOKEN_TIMEOUT_MS, TokenEndpoint, type TokenVerdict } from '../../platform/mcp/token-endpoint';
import { AuditRecorder } from '../../platform/unit-of-work/audit-recorder';
import { ChangeRecorder } from '../../platform/unit-of-work/change-recorder';
import { Secrets } from '../../settings';
import { ExchangedConnections } from './exchanged-connections.service';
import { UpstreamClients } from './upstream-clients';

/**
 * Lifetime of a lease; longer than the call to the token endpoint, so that a lease expires only
 * when its process has ended.
 */
const LEASE_MS = TOKEN_TIMEOUT_MS + 10_000;
/**
 * Time after a failure during which requests get the same response without a call, in milliseconds.
 */
const PAUSE_MS = 3_000;
/**
 * How long a request waits for the refresh in another process, and how often it checks, in
 * milliseconds.
 */
const WAIT_MS = 15_000;
const POLL_MS = 100;

type Refreshed = Extract<TokenVerdict, { kind: 'refreshed' }>;

/**
 * Refreshes connections for gateways. Of all requests for one version of a connection, in all
 * processes, only one calls the authorization server: it holds a lease in the row and no
 * transaction. The others wait for its result.
 */
@Injectable()
export class ConnectionRefreshes {
  private readonly underWay = new Map<string, Promise<McpRefreshResponse>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: TokenEndpoint,
    private readonly changes: ChangeRecorder,
    private readonly audits: AuditRecorder,
    private readonly secrets: Secrets,
    private readonly exchanged: ExchangedConnections,
    private readonly clients: UpstreamClients,
  ) {}

  refresh(wanted: McpRefreshRequest, request: RequestFacts): Promise<McpRefreshResponse> {
    const name = `${wanted.serverId}:${wanted.userId}:${wanted.version}`;
    const known = this.underWay.get(name);
    if (known !== undefined) return known;
    const refreshing = this.run(wanted, request).finally(() => this.underWay.delete(name));
    this.underWay.set(name, refreshing);
    return refreshing;
  }

  private async run(
    { serverId, userId, version }: McpRefreshRequest,
    request: RequestFacts,
  ): Promise<McpRefreshResponse> {
    const [place] = await mcpPlaces(this.dataSource.manager, [{ serverId, userId }]);
    if (place !== undefined && isExchanged(place.authType))
      return this.exchanged.refresh(place, version, request);
    const endsAt = performance.now() + WAIT_MS;
    for (;;) {
      const row = await this.dataSource.manager.findOneBy(McpConnectionEntity, { serverId, userId });
      if (row === null) return { outcome: 'missing', version: null };
      if (!isInUse(row) || row.sealedTokens === null) return { outcome: 'needs_consent', version: null };
      const current = connectionVersion(row);
      if (current !== version) return { outcome: 'refreshed', version: current };
      if (isPaused(row)) return { outcome: 'failed', version: current };
      const lease = await this.take(row);
      const tokens = openTokens(this.secrets.sealingKeyring, row, row.sealedTokens);
      const response = lease === null ? null : await this.refreshAs({ ...row, lease }, tokens, request);
      if (response !== null) return response;
      if (performance.now() >= endsAt) return { outcome: 'failed', version: current };
      await delay(POLL_MS);
    }
  }

  /** Takes the lease of a row that has not changed; returns null when another process holds it. */
  private async take({ id, version }: McpConnectionEntity): Promise<string | null> {
    const lease = uuidv7();
    const [, taken] = await this.dataSource.query<[unknown, number]>(TAKE, [lease, LEASE_MS, id, version]);
    return taken === 1 ? lease : null;
  }

  /** Refreshes the tokens under a lease. Returns null when the row has changed in the meantime. */
  private async refreshAs(
    row: Leased,
    tokens: ConnectionTokens,
    request: RequestFacts,
  ): Promise<McpRefreshResponse | null> {
    const { refreshToken, client, tokenEndpoint, resource, proofKey } = tokens;
    if (refreshToken === null) return this.lapse(row, request);
    const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken, resource };
    const verdict = await this.tokens.request(tokenEndpoint, client, parameters, proofKey);
    switch (verdict.kind) {
      case 'refreshed':
        return this.store(row, tokens, verdict);
      case 'unknown_client':
        await this.clients.forgetOf(row, client);
        return this.lapse(row, request);
      case 'needs_consent':
        return this.lapse(row, request);
      case 'failed':
        await this.dataSource.query(PAUSE, [row.id, row.lease, PAUSE_MS]);
        return { outcome: 'failed', version: connectionVersion(row) };
    }
  }

  /** Stores the new tokens before any gateway can use them. */
  private async store(
    row: Leased,
    tokens: ConnectionTokens,
    { accessToken, refreshToken, expiresIn, scopes }: Refreshed,
  ): Promise<McpRefreshResponse | null> {
    const next = { ...tokens, accessToken, refreshToken: refreshToken ?? tokens.refreshToken };
    const sealedTokens = sealTokens(this.secrets.sealingKeyring, row, next);
    const expiresAt = new Date(Date.now() + expiresIn * 1_000);
    const more = scopes === null ? {} : { scopes: [...scopes] };
    const version = await this.write(row, { sealedTokens, expiresAt, ...more });
    if (version !== null) return { outcome: 'refreshed', version };
    // The connection has ended in the meantime, so the new tokens are revoked.
    const { organisationId, serverId, userId } = row;
    const revocation = { id: uuidv7(), organisationId, serverId, userId, sealedTokens };
    await this.dataSource.manager.insert(McpRevocationEntity, revocation);
    return null;
  }

  /** Marks the connection as ended; the user must connect again. */
  private async lapse(row: Leased, request: RequestFacts): Promise<McpRefreshResponse | null> {
    const version = await this.write(row, { status: 'needs_consent', sealedTokens: null }, (manager) =>
      this.audits.record(
        manager,
        { kind: 'system', organisationId: row.organisationId, ...NO_CALLER, request },
        [
          {
            ...{ action: 'lapse', resourceType: 'mcp_connections', resourceId: row.id },
            after: { server_id: row.serverId, user_id: row.userId, status: 'needs_consent' },
          },
        ],
      ),
    );
    return version === null ? null : { outcome: 'needs_consent', version: null };
  }

  /**
   * Changes the row under its lease and publishes it. Returns the new version; null when the lease
   * was lost.
   */
  private write(
    { id, lease, serverId, userId }: Leased,
    change: Partial<Pick<McpConnectionEntity, 'status' | 'sealedTokens' | 'expiresAt' | 'scopes'>>,
    alsoWrite?: (manager: EntityManager) => Promise<void>,
  ): Promise<string | null> {
    return this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.update(
        McpConnectionEntity,
        { id, lease },
        { ...change, lease: null, leaseEndsAt: null },
      );
      if (affected !== 1) return null;
      await alsoWrite?.(manager);
      const key = documentKey.mcpConnection(serverId, userId);
      const isOver = change.status !== undefined;
      await this.changes.record(manager, isOver ? { removed: [key] } : { changed: [key] });
      return connectionVersion(await manager.findOneByOrFail(McpConnectionEntity, { id }));
    });
  }
}

type Leased = McpConnectionEntity & { readonly lease: string };

const NO_CALLER = { workspaceId: null, userId: null, apiKeyId: null };

/** Whether gateways use the connection. */
export const isInUse = ({ status }: McpConnectionEntity): boolean =>
  status === 'connected' || status === 'needs_scope';

const isPaused = ({ lease, leaseEndsAt }: McpConnectionEntity): boolean =>
  lease === null && leaseEndsAt !== null && leaseEndsAt.getTime() > Date.now();

// Does not use TypeORM, which would increment the version by which gateways identify the tokens.
const TAKE = `
  UPDATE mcp_connections SET lease = $1, lease_ends_at = now() + $2 * interval '1 millisecond'
  WHERE id = $3 AND version = $4 AND status IN ('connected', 'needs_scope')
    AND (lease_ends_at IS NULL OR lease_ends_at <= now())`;
const PAUSE = `
  UPDATE mcp_connections SET lease = NULL, lease_ends_at = now() + $3 * interval '1 millisecond'
  WHERE id = $1 AND lease = $2`;
