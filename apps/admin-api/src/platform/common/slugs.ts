import { GatewayError } from '@gw/kernel';
import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';

/** Throws `conflict` when a row that `where` finds has the slug already. */
export async function assertSlugFree<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row> & { readonly slug: string },
): Promise<void> {
  if (!(await manager.existsBy(entity, where))) return;
  throw new GatewayError('conflict', { param: 'slug', message: 'The slug is already used.' });
}
