import { ScimExchangeEntity } from '@gw/entities';
import { storableText, truncated, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import type { ScimContext } from './scim-context';

/** Number of exchanges of an organisation that are stored. */
const STORED_MAX = 200;
/** Number of exchanges after which a process deletes older ones. */
const PRUNED_EVERY = 64;
const ORGANISATIONS_MAX = 10_000;

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly scimType: string | null;
  readonly detail: string | null;
}

/**
 * Stores the last exchanges of each organisation, which help to find faults in the set-up of its
 * identity provider.
 */
@Injectable()
export class ScimExchanges {
  private readonly counts = new LRUCache<string, number>({ max: ORGANISATIONS_MAX });

  constructor(private readonly dataSource: DataSource) {}

  async record({ organisationId, dialect, caller }: ScimContext, exchange: Exchange): Promise<void> {
    const { manager } = this.dataSource;
    await manager.insert(ScimExchangeEntity, {
      ...exchange,
      id: uuidv7(),
      organisationId,
      dialect,
      path: storableText(truncated(exchange.path, 255)),
      detail: exchange.detail && storableText(truncated(exchange.detail, 1_024)),
      requestId: caller.request.id.slice(0, 64),
    });
    const count = (this.counts.get(organisationId) ?? 0) + 1;
    this.counts.set(organisationId, count % PRUNED_EVERY);
    if (count === PRUNED_EVERY) await this.prune(organisationId);
  }

  list(organisationId: string): Promise<ScimExchangeEntity[]> {
    return this.dataSource.manager.find(ScimExchangeEntity, {
      where: { organisationId },
      order: { id: 'DESC' },
      take: STORED_MAX,
    });
  }

  private async prune(organisationId: string): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM scim_exchanges WHERE organisation_id = $1 AND id < (
         SELECT id FROM scim_exchanges WHERE organisation_id = $1 ORDER BY id DESC OFFSET ${String(STORED_MAX)} LIMIT 1)`,
      [organisationId],
    );
  }
}
