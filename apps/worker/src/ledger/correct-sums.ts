import { addToRollups, type PricedLog } from '@gw/log-store';
import type { EntityManager } from 'typeorm';

/**
 * Replaces the rows `before` by the rows `after` in analytics: in the rollups or the external
 * store.
 */
export type CorrectSums = (
  manager: EntityManager,
  before: readonly PricedLog['row'][],
  after: readonly PricedLog['row'][],
) => Promise<void>;

export const correctRollups: CorrectSums = async (manager, before, after) => {
  await addToRollups(manager, before, -1);
  await addToRollups(manager, after);
};
