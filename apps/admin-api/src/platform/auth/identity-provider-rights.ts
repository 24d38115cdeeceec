import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/principal';
import { assertMayGrant, rightsOfRole } from './grants';
import { securityOf } from './security';

/**
 * Checks that a caller may configure an identity provider. The caller could act as any user whom
 * the provider admits, so it needs the rights of an administrator. `field` is the request field for
 * the error. Throws `forbidden` and `scope_exceeds_creator`.
 */
export async function assertMayNameProvider(
  manager: EntityManager,
  caller: Principal,
  field: string,
): Promise<void> {
  const settings = await securityOf(manager, caller.organisationId, null);
  assertMayGrant(caller, rightsOfRole('admin', null, settings), 'An identity provider', field);
}
