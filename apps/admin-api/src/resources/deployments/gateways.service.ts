import { DeploymentEntity, GatewayEntity } from '@gw/entities';
import { listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { DataSource, In } from 'typeorm';
import { Secrets } from '../../platform/settings';
import { warningsFor } from './gateway-features';
import type { GatewayResponse, GatewayPresenceDto } from './gateways.dto';

/** Three times what a gateway waits between telling of itself. */
const CONNECTED_MS = 90_000;
const LISTED_MAX = 1_000;
const ID_DIGITS = 12;

/** Which gateways there are. A gateway belongs to the installation, so every organisation sees all of them. */
@Injectable()
export class GatewaysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /** Rows of gateways that were silent for a day go with it, so that the table does not grow with every new host. */
  async seen({ id, version, clientAuth }: GatewayPresenceDto): Promise<object> {
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

  /** Without the names of hosts, which are the operator's and no business of an organisation. */
  async list(): Promise<ListResponse<GatewayResponse>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(GatewayEntity, {
      order: { lastSeenAt: 'DESC', id: 'ASC' },
      take: LISTED_MAX,
    });
    const shown = rows.map((row) => ({ ...toGateway(row), id: this.withoutHost(row.id) }));
    return listOf([shown, total]);
  }

  /** The same for a host at all times: `gateway-3f2a1b9c0d4e/0` for `node-7.internal/0`. Keyed, so that names cannot be guessed. */
  private withoutHost(id: string): string {
    const at = id.lastIndexOf('/');
    const [host, number] = at === -1 ? [id, ''] : [id.slice(0, at), id.slice(at)];
    const name = createHmac('sha256', this.secrets.exportLinkKey).update(`gateway ${host}`).digest('hex');
    return `gateway-${name.slice(0, ID_DIGITS)}${number}`;
  }

  /** Null for what no live deployment shows: an old `client_auth` does not keep a gateway from being seen. */
  private async deploymentOf(clientAuth: string): Promise<string | null> {
    const hashes = this.secrets.hashesOf(clientAuth);
    const { manager } = this.dataSource;
    const row = await manager.findOne(DeploymentEntity, {
      where: { clientAuthHash: In(hashes), status: 'active' },
      select: { id: true, clientAuthHash: true },
    });
    if (!row) return null;
    const [current] = hashes;
    // One that an earlier master key has hashed is known by the one of now from here on.
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
