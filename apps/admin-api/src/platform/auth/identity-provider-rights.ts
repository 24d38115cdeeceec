import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/principal';
import { assertMayGrant, rightsOfRole } from './grants';
import { securityOf } from './security';

/**
 * A caller who names an identity provider can act as any user whom it admits, so it needs what an administrator holds. `field`: of the
 * request. Throws `forbidden` and `scope_exceeds_creator`.
 */
export async function assertMayNameProvider(
  manager: EntityManager,
  caller: Principal,
  field: string,
): Promise<void> {
  const settings = await securityOf(manager, caller.organisationId, null);
  assertMayGrant(caller, rightsOfRole('admin', null, settings), 'An identity provider', field);
}
