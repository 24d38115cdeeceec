import { McpHealthEntity } from '@gw/entities';
import { DAY_MS } from '@gw/kernel';
import { MoreThan, type EntityManager } from 'typeorm';

/** Checks of the last 24 hours, oldest first; one for each minute at most. */
export const healthStrip = (manager: EntityManager, integrationId: string): Promise<McpHealthEntity[]> =>
  manager.find(McpHealthEntity, {
    where: { integrationId, minute: MoreThan(new Date(Date.now() - DAY_MS)) },
    order: { minute: 'ASC' },
  });
