import { documentKey, type DocumentKey } from '@gw/contracts';
import { McpToolsetEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import type { Write } from '../unit-of-work/writes';

/** Returns the document keys of a toolset; gateways find it by its slug and by its id. */
export const mcpToolsetKeys = ({
  workspaceId,
  slug,
  id,
}: Pick<McpToolsetEntity, 'workspaceId' | 'slug' | 'id'>): DocumentKey[] => [
  documentKey.mcpToolset(workspaceId, slug),
  documentKey.mcpToolset(workspaceId, id),
];

/** Removes ended servers from the toolsets of their workspaces. */
export async function leaveToolsets(write: Write, serverIds: readonly string[]): Promise<void> {
  const { manager } = write;
  const ended = new Set(serverIds);
  for (const row of await toolsetsWith(manager, serverIds)) {
    const before = { members: row.members };
    row.members = row.members.filter(({ server_id }) => !ended.has(server_id));
    await manager.save(row);
    const { id: resourceId, workspaceId, members } = row;
    const views = { before, after: { members } };
    write.audit({ action: 'update', resourceType: 'mcp_toolsets', resourceId, workspaceId, ...views });
    write.changed(mcpToolsetKeys(row));
  }
}

/** Finds and locks the active toolsets that have one of the servers, in a fixed order. */
const toolsetsWith = (manager: EntityManager, serverIds: readonly string[]): Promise<McpToolsetEntity[]> =>
  manager
    .createQueryBuilder(McpToolsetEntity, 't')
    .where(`t.status = 'active'`)
    .andWhere(
      't.workspace_id IN (SELECT s.workspace_id FROM mcp_servers s WHERE s.id = ANY(CAST(:serverIds AS uuid[])))',
    )
    .andWhere(
      `EXISTS (SELECT FROM jsonb_array_elements(t.members) AS member
         WHERE member->>'server_id' = ANY(CAST(:serverIds AS text[])))`,
    )
    .setParameter('serverIds', serverIds)
    .orderBy('t.id')
    .setLock('for_no_key_update')
    .getMany();
