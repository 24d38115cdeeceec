import { securityInForce, type SecuritySettings, type StoredSecurity } from '@gw/auth-scopes';
import { PreparedStatement } from '@gw/entities';
import type { EntityManager } from 'typeorm';

type SecurityRow = { [member in keyof StoredSecurity]: StoredSecurity[member] | null };

const SECURITY = new PreparedStatement<SecurityRow>(
  'security-of',
  () => `
  SELECT organisation.security_settings AS organisation, organisation.workspace_overrides AS overrides,
    workspace.security_settings AS workspace
  FROM organisations organisation
  LEFT JOIN workspaces workspace ON workspace.id = $2 AND workspace.organisation_id = organisation.id
  WHERE organisation.id = $1`,
);

/**
 * Returns the security settings in force in a workspace, or in the whole organisation when
 * `workspaceId` is null.
 */
export async function securityOf(
  manager: EntityManager,
  organisationId: string,
  workspaceId: string | null,
): Promise<SecuritySettings> {
  const [row] = await SECURITY.run(manager, [organisationId, workspaceId]);
  return securityInForce({
    organisation: row?.organisation ?? {},
    workspace: row?.workspace ?? {},
    overrides: row?.overrides ?? {},
  });
}
