import { IsNull, Not, type FindOptionsWhere } from 'typeorm';
import { byReference } from '../auth/tenancy';
import type { Principal } from '../common/principal';

export type IntegrationAction = 'create' | 'read' | 'update' | 'delete' | 'list';

interface IntegrationRow {
  readonly id: string;
  readonly slug: string;
  readonly organisationId: string;
  readonly workspaceId: string | null;
  readonly status: 'active' | 'archived';
}

/** Decides which integrations of one kind a caller may reach. */
export interface IntegrationReach {
  /** Whether the caller may perform the action on integrations of the organisation. */
  readonly forOrganisation: (caller: Principal, action: IntegrationAction) => boolean;
  /** Whether the caller may perform the action on integrations of a workspace within its reach. */
  readonly forWorkspace: (caller: Principal, action: IntegrationAction) => boolean;
  /**
   * Returns conditions for the active integrations that the caller may reach for an action: those
   * of the organisation, given an organisation scope, and those of the caller's workspace, or of
   * all workspaces when `workspaceId` is null. Empty when the caller may reach none.
   */
  readonly where: <R extends IntegrationRow>(
    caller: Principal,
    action: IntegrationAction,
    reference: string,
  ) => FindOptionsWhere<R>[];
}

/**
 * Returns the reach for one kind of integration. `scopes` are its scopes without `organisation_`
 * and `workspace_`; `parts` are the scopes for parts of a workspace's integration, such as its
 * skills.
 */
export function integrationReach(
  scopes: 'integrations' | 'mcp_integrations' | 'agent_integrations',
  parts?: 'agent_integration_skills',
): IntegrationReach {
  const forOrganisation: IntegrationReach['forOrganisation'] = (caller, action) =>
    caller.scopes.has(`organisation_${scopes}.${action}`);
  const forWorkspace: IntegrationReach['forWorkspace'] = (caller, action) =>
    forOrganisation(caller, action) ||
    caller.scopes.has(`workspace_${scopes}.${action}`) ||
    (parts !== undefined && caller.scopes.has(`${parts}.${action}`));
  return {
    forOrganisation,
    forWorkspace,
    where: <R extends IntegrationRow>(caller: Principal, action: IntegrationAction, reference: string) => {
      const { organisationId, workspaceId } = caller;
      const live = { organisationId, status: 'active', ...byReference(reference) } as const;
      return [
        ...(forOrganisation(caller, action) ? [{ ...live, workspaceId: IsNull() }] : []),
        ...(forWorkspace(caller, action) ? [{ ...live, workspaceId: workspaceId ?? Not(IsNull()) }] : []),
      ] as FindOptionsWhere<IntegrationRow>[] as FindOptionsWhere<R>[];
    },
  };
}
