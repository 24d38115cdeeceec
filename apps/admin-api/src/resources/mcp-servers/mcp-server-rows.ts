import { McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { GatewayError, randomHex } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { byReference, inWorkspace, isUuid, reach, type TenantWhere } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import type { Resource } from '../../platform/resource/rows';
import { usableMcpIntegrations } from '../../platform/rows/mcp-integrations.queries';
import { mcpServerKeys } from '../../platform/rows/mcp-rows';
import { toAuditedMcpServer } from './mcp-servers.view';

/**
 * Slugs are unique only within a workspace, so a slug requires the workspace. An id suffices for a
 * credential of the whole organisation.
 */
const whereOf = (caller: Principal, reference: string): FindOptionsWhere<McpServerEntity> => ({
  ...(isUuid(reference) ? reach(caller) : inWorkspace(caller)),
  ...byReference(reference),
  status: 'active',
});

export const MCP_SERVER: Resource<McpServerEntity> = {
  entity: McpServerEntity,
  type: 'mcp_servers',
  view: toAuditedMcpServer,
  where: whereOf,
  documents: mcpServerKeys,
};

/**
 * Returns an MCP integration that the workspace may use. Locks the row until the commit, so that
 * the integration cannot be deleted or disabled for the workspace before. Throws the same error for
 * an integration that is unknown, of another tenant, or not enabled.
 */
export async function usableIntegration(
  manager: EntityManager,
  owner: Required<TenantWhere>,
  reference: string,
): Promise<McpIntegrationEntity> {
  const column = isUuid(reference) ? 'i.id' : 'i.slug';
  const find = (): Promise<McpIntegrationEntity | null> =>
    usableMcpIntegrations(manager, owner).andWhere(`${column} = :reference`, { reference }).getOne();
  const seen = await find();
  if (seen) {
    const where = { id: seen.id };
    await manager.findOne(McpIntegrationEntity, { where, lock: { mode: 'pessimistic_read' } });
  }
  // Another write may have changed the access while this one waited for the lock.
  const row = seen && (await find());
  if (row) return row;
  throw invalid(
    'mcp_integration_id',
    'mcp_integration_id must be an MCP integration that the workspace may use',
  );
}

/** Parts of the gateway's own paths. */
const RESERVED: ReadonlySet<string> = new Set(['all', 'mcp', 'sse', 'messages']);
/** Leaves room for the random part within 50 characters. */
const SLUG_BASE_MAX = 43;

/** Returns the slug of a new server. Throws when it is reserved or used in the workspace. */
export async function newSlug(
  manager: EntityManager,
  workspaceId: string,
  { name, slug: given }: { readonly name: string; readonly slug?: string | undefined },
): Promise<string> {
  if (given !== undefined && RESERVED.has(given.toLowerCase()))
    throw invalid('slug', 'slug must not be all, mcp, sse or messages; choose another one');
  const slug = given ?? `${slugOf(name, SLUG_BASE_MAX)}-${randomHex(3)}`;
  await assertSlugFree(manager, McpServerEntity, { workspaceId, slug, status: 'active' });
  return slug;
}

/** Gives a server a new version after a change of its parts, and saves its default for users. */
export async function touch(manager: EntityManager, row: McpServerEntity): Promise<void> {
  const { id, defaultUserAccess } = row;
  await manager.update(McpServerEntity, { id }, { defaultUserAccess });
}

/**
 * Throws `forbidden` when a member names another user. Service keys, managers and admins may see everyone.
 * Undefined: all users.
 */
export function assertMaySee(caller: Principal, userId: string | null | undefined): void {
  const { organisationRole, workspaceRole } = caller;
  if (typeof userId === 'string' && userId === caller.userId) return;
  const isService = organisationRole === null;
  const isAdmin = organisationRole === 'owner' || organisationRole === 'admin';
  if (isService || isAdmin || workspaceRole === 'admin' || workspaceRole === 'manager') return;
  throw new GatewayError('forbidden', { message: 'Members may name only themselves and their own keys.' });
}
