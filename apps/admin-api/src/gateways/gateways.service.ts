import { DeploymentEntity, GatewayEntity } from '@gw/entities';
import { listOf, type ListAnswer } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Secrets } from '../settings';
import { warningsFor } from './gateway-features';
import type { GatewayAnswer, GatewayPresenceDto } from './gateways.dto';

/** Three times what a gateway waits between telling of itself. */
const CONNECTED_MS = 90_000;
const LISTED_MAX = 1_000;

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

  async list(): Promise<ListAnswer<GatewayAnswer>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(GatewayEntity, {
      order: { lastSeenAt: 'DESC', id: 'ASC' },
      take: LISTED_MAX,
    });
    return listOf([rows.map(toGateway), total]);
  }

  /** Null for what no live deployment shows: an old `client_auth` does not keep a gateway from being seen. */
  private async deploymentOf(clientAuth: string): Promise<string | null> {
    const row = await this.dataSource.manager.findOne(DeploymentEntity, {
      where: { clientAuthHash: In(this.secrets.hashesOf(clientAuth)), status: 'active' },
      select: { id: true },
    });
    return row?.id ?? null;
  }
}

export const toGateway = (row: GatewayEntity): GatewayAnswer => ({
  id: row.id,
  version: row.version,
  connected: row.lastSeenAt.getTime() >= Date.now() - CONNECTED_MS,
  first_seen_at: row.firstSeenAt.toISOString(),
  last_seen_at: row.lastSeenAt.toISOString(),
  warnings: warningsFor(row.version),
  object: 'gateway',
});
