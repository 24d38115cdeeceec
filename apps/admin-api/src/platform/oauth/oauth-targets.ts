import { AgentServerEntity, McpServerEntity, McpToolsetEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { byReference } from '../auth/tenancy';
import type { OauthResource } from './oauth-resources';

type Named = Pick<OauthResource, 'type' | 'server' | 'name'>;

const KINDS = { mcp: [McpServerEntity, McpToolsetEntity], agent: [AgentServerEntity] } as const;

/**
 * Returns the id of the server, toolset or agent that a resource names in a workspace, locked until
 * the end of the transaction. Returns the id of the workspace for all its MCP servers, null for the
 * API, and undefined when the resource does not exist.
 */
export async function findTarget(
  manager: EntityManager,
  { type, server }: Named,
  workspaceId: string | null,
): Promise<string | null | undefined> {
  if (type === 'control_plane') return null;
  if (workspaceId === null) return undefined;
  if (server === null) return workspaceId;
  for (const entity of KINDS[type]) {
    const row = await manager.findOne<AgentServerEntity | McpServerEntity | McpToolsetEntity>(entity, {
      where: { workspaceId, ...byReference(server), status: 'active' },
      select: { id: true },
      lock: { mode: 'pessimistic_read' },
    });
    if (row !== null) return row.id;
  }
  return undefined;
}

/** Returns the id as `findTarget` does. Throws `forbidden` when the resource does not exist. */
export async function targetIdOf(
  manager: EntityManager,
  resource: Named,
  workspaceId: string | null,
): Promise<string | null> {
  const id = await findTarget(manager, resource, workspaceId);
  if (id !== undefined) return id;
  throw new GatewayError('forbidden', {
    message: `${resource.name} does not exist in this workspace. Check the address that the client uses.`,
  });
}
