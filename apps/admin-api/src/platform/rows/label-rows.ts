import { LabelEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { found, isUuid } from '../auth/tenancy';
import type { Principal } from '../common/principal';

/** The caller's own labels, those of the organisation, and universal ones. */
export const visibleTo = ({ organisationId, workspaceId }: Principal): FindOptionsWhere<LabelEntity>[] => [
  { organisationId: IsNull(), status: 'active' },
  { organisationId, status: 'active', ...(workspaceId === null ? {} : { workspaceId: IsNull() }) },
  ...(workspaceId === null ? [] : [{ organisationId, workspaceId, status: 'active' as const }]),
];

/** A label that prompts of the caller's workspace may carry. Throws `not_found`. */
export async function findLabel(manager: EntityManager, caller: Principal, id: string): Promise<LabelEntity> {
  if (!isUuid(id)) throw new GatewayError('not_found');
  const where = visibleTo(caller).map((each) => ({ ...each, id: id.toLowerCase() }));
  return found(await manager.findOne(LabelEntity, { where }));
}
