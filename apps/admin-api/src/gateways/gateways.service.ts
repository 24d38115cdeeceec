import { GatewayEntity } from '@gw/entities';
import { listOf, type ListAnswer } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { warningsFor } from './gateway-features';
import type { GatewayAnswer, GatewayPresenceDto } from './gateways.dto';

/** Three times what a gateway waits between telling of itself. */
const CONNECTED_MS = 90_000;
const LISTED_MAX = 1_000;

/** Which gateways there are. A gateway belongs to the installation, so every organisation sees all of them. */
@Injectable()
export class GatewaysService {
  constructor(private readonly dataSource: DataSource) {}

  /** Rows of gateways that were silent for a day go with it, so that the table does not grow with every new host. */
  async seen({ id, version }: GatewayPresenceDto): Promise<object> {
    await this.dataSource.query(
      `INSERT INTO gateways (id, version) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET version = excluded.version, last_seen_at = now()`,
      [id, version],
    );
    await this.dataSource.query(`DELETE FROM gateways WHERE last_seen_at < now() - interval '1 day'`);
    return {};
  }

  async list(): Promise<ListAnswer<GatewayAnswer>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(GatewayEntity, {
      order: { lastSeenAt: 'DESC', id: 'ASC' },
      take: LISTED_MAX,
    });
    const connectedSince = Date.now() - CONNECTED_MS;
    return listOf([
      rows.map((row) => ({
        id: row.id,
        version: row.version,
        connected: row.lastSeenAt.getTime() >= connectedSince,
        first_seen_at: row.firstSeenAt.toISOString(),
        last_seen_at: row.lastSeenAt.toISOString(),
        warnings: warningsFor(row.version),
        object: 'gateway',
      })),
      total,
    ]);
  }
}
