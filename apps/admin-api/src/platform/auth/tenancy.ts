import { GatewayError, isStorableText, UUID } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { Principal } from '../common/principal';

/** Columns that assign a row to its tenant. */
export interface TenantWhere {
  readonly organisationId: string;
  readonly workspaceId?: string;
}

/**
 * Returns a condition for the rows that the caller may reach: those of its workspace, or of the
 * whole organisation when the call names no workspace. Spread it into every `where` on a table with
 * `organisation_id` and `workspace_id`.
 */
export const reach = (caller: Principal): TenantWhere =>
  caller.workspaceId === null
    ? { organisationId: caller.organisationId }
    : { organisationId: caller.organisationId, workspaceId: caller.workspaceId };

/** Returns the workspace of a new row or of a list. Throws 400 when the call names none. */
export function inWorkspace(caller: Principal): Required<TenantWhere> {
  const { organisationId, workspaceId } = caller;
  if (workspaceId === null) {
    throw invalid('workspace_id', 'workspace_id is required with a credential of the whole organisation');
  }
  return { organisationId, workspaceId };
}

/**
 * Returns the whole organisation. Throws 403 for a call that is limited to a workspace, and 400
 * when the call names another `organisation_id` than the caller's own.
 */
export function inOrganisation(caller: Principal, named?: string): { readonly organisationId: string } {
  if (caller.workspaceId !== null) throw new GatewayError('forbidden');
  assertOwnOrganisation(caller, named);
  return { organisationId: caller.organisationId };
}

/** Throws 400 when the call names another `organisation_id` than the caller's own. */
export function assertOwnOrganisation({ organisationId }: Principal, named: string | undefined): void {
  if (named !== undefined && named.toLowerCase() !== organisationId)
    throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
}

/**
 * Returns `{ id }` or `{ slug }`, since most paths accept either. Throws `not_found` for text that
 * no row can contain.
 */
export function byReference(reference: string): { id: string } | { slug: string } {
  if (!isStorableText(reference)) throw new GatewayError('not_found');
  return isUuid(reference) ? { id: reference.toLowerCase() } : { slug: reference };
}

export const isUuid = (text: string): boolean => UUID.test(text);

/** Returns the id as it is stored. Throws `not_found` for text that is not a UUID. */
export function idOf(reference: string): string {
  if (!isUuid(reference)) throw new GatewayError('not_found');
  return reference.toLowerCase();
}

/**
 * Returns the row, or throws 404. A row of another tenant and a missing row look the same to the
 * caller.
 */
export function found<T>(row: T | null | undefined): T {
  if (row === null || row === undefined) throw new GatewayError('not_found');
  return row;
}
