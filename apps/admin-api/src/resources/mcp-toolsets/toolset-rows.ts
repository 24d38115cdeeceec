import { McpServerEntity, McpToolsetEntity, WorkspaceEntity } from '@gw/entities';
import { In, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { byReference, found, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { mcpServerUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import type { Resource } from '../../platform/resource/rows';
import { mcpToolsetKeys } from '../../platform/rows/mcp-toolset-rows';
import { toAuditedMcpToolset, type McpToolsetParts } from './mcp-toolsets.view';

/**
 * Returns the condition for a toolset that a path names. Slugs are unique only within a workspace,
 * so a slug requires the workspace.
 */
const whereOf = (caller: Principal, reference: string): FindOptionsWhere<McpToolsetEntity> => ({
  ...(isUuid(reference) ? reach(caller) : inWorkspace(caller)),
  ...byReference(reference),
  status: 'active',
});

export const MCP_TOOLSET: Resource<McpToolsetEntity> = {
  entity: McpToolsetEntity,
  type: 'mcp_toolsets',
  view: toAuditedMcpToolset,
  where: whereOf,
  documents: mcpToolsetKeys,
};

/** Returns the values of other rows that responses show. */
export async function partsOfToolsets(
  manager: EntityManager,
  settings: PublicUrlSettings,
  rows: readonly McpToolsetEntity[],
): Promise<(row: McpToolsetEntity) => McpToolsetParts> {
  const workspaces = await manager.find(WorkspaceEntity, {
    where: { id: In([...new Set(rows.map(({ workspaceId }) => workspaceId))]) },
    select: { id: true, slug: true },
  });
  const servers = await slugsOfMembers(manager, rows);
  const workspaceOf = new Map(workspaces.map(({ id, slug }) => [id, slug]));
  return ({ workspaceId, slug }) => {
    const workspaceSlug = found(workspaceOf.get(workspaceId));
    return { workspaceSlug, servers, url: mcpServerUrl(settings, workspaceSlug, slug) };
  };
}

/** Returns the slugs of the members of toolsets by server id. */
export async function slugsOfMembers(
  manager: EntityManager,
  rows: readonly McpToolsetEntity[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap(({ members }) => members.map(({ server_id }) => server_id)));
  const servers = await manager.find(McpServerEntity, {
    where: { id: In([...ids]) },
    select: { id: true, slug: true },
  });
  return new Map(servers.map(({ id, slug }) => [id, slug]));
}
