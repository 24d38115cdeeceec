import { GatewayError, UUID } from '@gw/kernel';
import { invalid, isStorableText } from '@gw/web';
import type { Principal } from '../common/principal';

/** Columns that tie a row to its tenant. */
export interface TenantWhere {
  readonly organisationId: string;
  readonly workspaceId?: string;
}

/**
 * The rows that the caller may reach: of their workspace, or of the whole organisation when the call is not narrowed to one.
 * Spread it into EVERY `where` of a table with `organisation_id` and `workspace_id`.
 */
export const reach = (caller: Principal): TenantWhere =>
  caller.workspaceId === null
    ? { organisationId: caller.organisationId }
    : { organisationId: caller.organisationId, workspaceId: caller.workspaceId };

/** The one workspace that a new row belongs to, or whose rows are listed. 400 when the call names none. */
export function inWorkspace(caller: Principal): Required<TenantWhere> {
  const { organisationId, workspaceId } = caller;
  if (workspaceId === null) {
    throw invalid('workspace_id', 'workspace_id is required with a credential of the whole organisation');
  }
  return { organisationId, workspaceId };
}

/**
 * The organisation as a whole. 403 for a call that is locked to a workspace; 400 when the call names an `organisation_id` that
 * is not the caller's own.
 */
export function inOrganisation(caller: Principal, named?: string): { readonly organisationId: string } {
  if (caller.workspaceId !== null) throw new GatewayError('forbidden');
  if (named !== undefined && named.toLowerCase() !== caller.organisationId) {
    throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
  }
  return { organisationId: caller.organisationId };
}

/** `{ id }` or `{ slug }`, since most paths take either. Throws `not_found` for text that no row can hold. */
export function byReference(reference: string): { id: string } | { slug: string } {
  if (!isStorableText(reference)) throw new GatewayError('not_found');
  return isUuid(reference) ? { id: reference.toLowerCase() } : { slug: reference };
}

export const isUuid = (text: string): boolean => UUID.test(text);

/** The id as it is stored. Throws `not_found` for a text that is no id. */
export function idOf(reference: string): string {
  if (!isUuid(reference)) throw new GatewayError('not_found');
  return reference.toLowerCase();
}

/** The row, or 404: a row of another tenant and one that is not there look the same. */
export function found<T>(row: T | null | undefined): T {
  if (row === null || row === undefined) throw new GatewayError('not_found');
  return row;
}
