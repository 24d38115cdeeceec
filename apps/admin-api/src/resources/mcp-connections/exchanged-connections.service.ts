import type { McpRefreshResponse } from '@gw/contracts';
import { McpConnectionEntity } from '@gw/entities';
import { GatewayError, VendorError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { FailureThrottle } from '../../platform/auth/failure-throttle';
import type { RequestFacts } from '../../platform/common/principal';
import { connectionVersion } from '../../platform/mcp/connection-tokens';
import type { McpPlace } from '../../platform/mcp/mcp-places.queries';
import { McpConnections } from './mcp-connections.service';
import { TokenExchanges, type Exchanged } from './token-exchanges.service';

/**
 * Time after a failure during which requests get the same response without a call, in milliseconds.
 */
const PAUSE_MS = 3_000;
const PAUSED_MAX = 10_000;
/** Maximum number of refusals of one user at one server per minute that are recorded. */
const RECORDED_MAX = 5;

/** Connections whose tokens the control plane obtains without the user's consent at the server. */
@Injectable()
export class ExchangedConnections {
  private readonly paused = new LRUCache<string, true>({ max: PAUSED_MAX, ttl: PAUSE_MS });
  private readonly refusals = new FailureThrottle(RECORDED_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly exchanges: TokenExchanges,
    private readonly connections: McpConnections,
  ) {}

  /**
   * Obtains a new token unless the gateway's `version` is outdated. Several processes may do so at
   * the same time: all tokens are valid.
   */
  async refresh(place: McpPlace, version: string, request: RequestFacts): Promise<McpRefreshResponse> {
    const { serverId, userId } = place;
    const row = await this.find(place);
    const current = row?.status === 'connected' && row.sealedTokens !== null ? connectionVersion(row) : null;
    if (current !== null && current !== version) return { outcome: 'refreshed', version: current };
    const name = `${serverId}:${userId}`;
    if (this.paused.has(name)) return { outcome: 'failed', version: current };
    const exchanged = await this.exchange(place);
    if (exchanged.kind === 'failed') {
      this.paused.set(name, true);
      await this.record(place, request, exchanged.reason);
      return { outcome: 'failed', version: current };
    }
    await this.connections.save(place, request, exchanged.granted);
    const saved = await this.find(place);
    return { outcome: 'refreshed', version: saved && connectionVersion(saved) };
  }

  private find({ serverId, userId }: McpPlace): Promise<McpConnectionEntity | null> {
    return this.dataSource.manager.findOneBy(McpConnectionEntity, { serverId, userId });
  }

  private async exchange(place: McpPlace): Promise<Exchanged> {
    try {
      return await this.exchanges.tokenOf(place);
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      return {
        kind: 'failed',
        reason: 'The secret of the client could not be read; check its mapping and the secret manager.',
      };
    }
  }

  /**
   * Records the reason of a refusal in the audit log, for administrators; callers do not see it.
   */
  private async record(place: McpPlace, request: RequestFacts, reason: string): Promise<void> {
    if (!this.refusals.countIfOpen(`${place.serverId}:${place.userId}`)) return;
    await this.connections.recordRefusal(place, request, new GatewayError('forbidden'), { reason });
  }
}
