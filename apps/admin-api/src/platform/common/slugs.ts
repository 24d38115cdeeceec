import { GatewayError, randomHex } from '@gw/kernel';
import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { slugOf } from './text';

/**
 * Maximum length of the name part of a slug; leaves room for the random part within 255 characters.
 */
const SLUG_BASE_MAX = 240;

/**
 * Returns a slug derived from a name, with 24 random bits, so that equal names get different slugs.
 */
export const autoSlug = (name: string): string => `${slugOf(name, SLUG_BASE_MAX)}-${randomHex(3)}`;

/** Throws `conflict` when `where` finds a row that already has the slug. */
export async function assertSlugFree<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row> & { readonly slug: string },
): Promise<void> {
  if (!(await manager.existsBy(entity, where))) return;
  throw new GatewayError('conflict', { param: 'slug', message: 'The slug is already used.' });
}
