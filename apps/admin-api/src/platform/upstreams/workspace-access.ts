import type { Row, UpstreamIntegration } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import { In, Not, type DeepPartial, type EntityManager } from 'typeorm';
import { accessWorkspaceIds } from '../auth/workspace-references';
import type { Principal } from '../common/principal';
import type { ResourceReference } from '../resource/resource-reference';
import { patchRow, type Resource } from '../resource/rows';
import type { Write } from '../unit-of-work/writes';
import type {
  UpdateUpstreamWorkspacesDto,
  UpstreamWorkspaceDto,
  UpstreamWorkspaceResponse,
  UpstreamWorkspacesResponse,
} from './workspace-access.dto';

/** Whether one workspace may use an integration of the organisation. */
export interface AccessRow extends Row {
  id: string;
  integrationId: string;
  workspaceId: string;
  enabled: boolean;
}

/**
 * Returns which workspaces may use the integration. `version` is the query parameter of that name,
 * which selects the form of the response.
 */
export async function workspacesOf<I extends UpstreamIntegration>(
  manager: EntityManager,
  entity: new () => AccessRow,
  integration: I,
  version: string | undefined,
): Promise<UpstreamWorkspacesResponse> {
  const rows = await accessOf(manager, entity, integration);
  const access = { global_workspace_access: integration.globalWorkspaceAccess };
  return version === undefined
    ? { workspaces: rows, ...access }
    : { data: rows, total: rows.length, ...access };
}

/**
 * Sets the access of the named workspaces to an integration. Servers in workspaces that lose access
 * end immediately.
 */
export function setWorkspaceAccess<I extends UpstreamIntegration>(
  write: Write<Principal>,
  { resource, access }: { readonly resource: Resource<I>; readonly access: new () => AccessRow },
  at: ResourceReference,
  input: UpdateUpstreamWorkspacesDto,
): Promise<object> {
  const { manager } = write;
  const { workspaces, global_workspace_access: global, override_existing_workspace_access: isWhole } = input;
  const view = async (row: I): Promise<object> => ({
    workspaces: await accessOf(manager, access, row),
    global_workspace_access: row.globalWorkspaceAccess,
  });
  return patchRow(write, { ...resource, view }, at, async (row) => {
    if (row.workspaceId !== null)
      throw invalid('workspaces', 'an integration of a workspace cannot be shared with other workspaces');
    const ids = await accessWorkspaceIds(manager, row.organisationId, workspaces);
    if (global !== undefined) row.globalWorkspaceAccess = global && { enabled: global.enabled };
    if (isWhole === true) await manager.delete(access, { integrationId: row.id, workspaceId: Not(In(ids)) });
    await grant(manager, access, row.id, ids, workspaces);
    // Increments the version also when only rows of workspaces have changed.
    row.version += 1;
  });
}

async function grant(
  manager: EntityManager,
  entity: new () => AccessRow,
  integrationId: string,
  ids: readonly string[],
  items: readonly UpstreamWorkspaceDto[],
): Promise<void> {
  const saved = await manager.findBy(entity, { integrationId, workspaceId: In([...ids]) });
  const byWorkspace = new Map(saved.map((row) => [row.workspaceId, row]));
  const rows = ids.map((workspaceId, index) => {
    const newRow: DeepPartial<AccessRow> = { id: uuidv7(), integrationId, workspaceId };
    const row = byWorkspace.get(workspaceId) ?? manager.create(entity, newRow);
    row.enabled = items[index]?.enabled === true;
    return row;
  });
  await manager.save(entity, rows);
}

/**
 * Returns the access to an integration. Only its own workspace may use an integration of a
 * workspace.
 */
async function accessOf(
  manager: EntityManager,
  entity: new () => AccessRow,
  { id, workspaceId, createdAt, lastUpdatedAt }: UpstreamIntegration,
): Promise<UpstreamWorkspaceResponse[]> {
  if (workspaceId !== null) return [toAccess({ id: workspaceId, enabled: true, createdAt, lastUpdatedAt })];
  const rows = await manager.find(entity, {
    where: { integrationId: id },
    order: { createdAt: 'DESC', id: 'DESC' },
  });
  return rows.map((row) => toAccess({ ...row, id: row.workspaceId }));
}

const toAccess = ({
  id,
  enabled,
  createdAt,
  lastUpdatedAt,
}: Pick<AccessRow, 'id' | 'enabled' | 'createdAt' | 'lastUpdatedAt'>): UpstreamWorkspaceResponse => ({
  id,
  enabled,
  status: 'active',
  created_at: createdAt.toISOString(),
  last_updated_at: lastUpdatedAt.toISOString(),
});
