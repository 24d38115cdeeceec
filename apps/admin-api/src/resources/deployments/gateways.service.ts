import { DeploymentEntity, GatewayEntity } from '@gw/entities';
import { listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { DataSource, In } from 'typeorm';
import { Secrets } from '../../settings';
import { warningsFor } from './gateway-features';
import type { GatewayResponse, GatewayPresenceDto } from './gateways.dto';

/**
 * Time since the last report after which a gateway counts as disconnected, in milliseconds: three
 * reporting intervals.
 */
const CONNECTED_MS = 90_000;
const LISTED_MAX = 1_000;
const ID_DIGITS = 12;

/**
 * Records and lists gateways. A gateway belongs to the installation, so every organisation sees all
 * of them.
 */
@Injectable()
export class GatewaysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Records a presence report. Also deletes gateways that have not reported for a day, so that the
   * table does not grow with every new host.
   */
  async recordPresence({ id, version, clientAuth }: GatewayPresenceDto): Promise<object> {
    const deploymentId = clientAuth === undefined ? null : await this.deploymentOf(clientAuth);
    await this.dataSource.query(
      `INSERT INTO gateways (id, version, deployment_id) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE
       SET version = excluded.version, deployment_id = excluded.deployment_id, last_seen_at = now()`,
      [id, version, deploymentId],
    );
    await this.dataSource.query(`DELETE FROM gateways WHERE last_seen_at < now() - interval '1 day'`);
    return {};
  }

  /** Lists gateways without their host names, which organisations must not see. */
  async list(): Promise<ListResponse<GatewayResponse>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(GatewayEntity, {
      order: { lastSeenAt: 'DESC', id: 'ASC' },
      take: LISTED_MAX,
    });
    const shown = rows.map((row) => ({ ...toGateway(row), id: this.withoutHost(row.id) }));
    return listOf([shown, total]);
  }

  /**
   * Replaces the host name with a stable pseudonym: `node-7.internal/0` becomes
   * `gateway-3f2a1b9c0d4e/0`. The hash is keyed, so that a reader cannot confirm a guessed name.
   */
  private withoutHost(id: string): string {
    const at = id.lastIndexOf('/');
    const [host, number] = at === -1 ? [id, ''] : [id.slice(0, at), id.slice(at)];
    const name = createHmac('sha256', this.secrets.exportLinkKey).update(`gateway ${host}`).digest('hex');
    return `gateway-${name.slice(0, ID_DIGITS)}${number}`;
  }

  /**
   * Returns the id of the active deployment with this `client_auth`, or null. A gateway with an
   * outdated `client_auth` is still recorded, without a deployment.
   */
  private async deploymentOf(clientAuth: string): Promise<string | null> {
    const hashes = this.secrets.hashesOf(clientAuth);
    const { manager } = this.dataSource;
    const row = await manager.findOne(DeploymentEntity, {
      where: { clientAuthHash: In(hashes), status: 'active' },
      select: { id: true, clientAuthHash: true },
    });
    if (!row) return null;
    const [current] = hashes;
    // Replaces a hash under an earlier master key with one under the current key.
    if (current !== undefined && row.clientAuthHash !== current)
      await manager.update(DeploymentEntity, { id: row.id }, { clientAuthHash: current });
    return row.id;
  }
}

export const toGateway = (row: GatewayEntity): GatewayResponse => ({
  id: row.id,
  version: row.version,
  connected: row.lastSeenAt.getTime() >= Date.now() - CONNECTED_MS,
  first_seen_at: row.firstSeenAt.toISOString(),
  last_seen_at: row.lastSeenAt.toISOString(),
  warnings: warningsFor(row.version),
  object: 'gateway',
});
