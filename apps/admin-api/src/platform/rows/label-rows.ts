import type { LabelEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { IsNull, type FindOptionsWhere } from 'typeorm';
import { isUuid } from '../auth/tenancy';
import type { Principal } from '../common/principal';

type Place = Pick<Principal, 'organisationId' | 'workspaceId'>;

/**
 * Returns conditions for the labels that a workspace can use: its own, those of the organisation and
 * the built-in ones. When `workspaceId` is null, also includes the labels of all workspaces.
 */
export const visibleTo = ({ organisationId, workspaceId }: Place): FindOptionsWhere<LabelEntity>[] => [
  { organisationId: IsNull(), status: 'active' },
  { organisationId, status: 'active', ...(workspaceId === null ? {} : { workspaceId: IsNull() }) },
  ...(workspaceId === null ? [] : [{ organisationId, workspaceId, status: 'active' as const }]),
];

/**
 * Returns conditions for a label that prompts of the caller's workspace may have. Throws
 * `not_found` for text that is not a UUID.
 */
export function labelNamed(caller: Principal, id: string): FindOptionsWhere<LabelEntity>[] {
  if (!isUuid(id)) throw new GatewayError('not_found');
  return visibleTo(caller).map((each) => ({ ...each, id: id.toLowerCase() }));
}
