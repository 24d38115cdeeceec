import { McpServerEntity, McpToolsetEntity } from '@gw/entities';
import { randomHex } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { assertSlugFree } from '../common/slugs';
import { slugOf } from '../common/text';

/** Slugs that the gateway's own paths use. */
const RESERVED: ReadonlySet<string> = new Set(['all', 'mcp', 'sse', 'messages']);
/**
 * Maximum length of the name part of a slug; leaves room for the random part within 50 characters.
 */
const SLUG_BASE_MAX = 43;

/**
 * Returns the slug of a new server or toolset; both kinds share the addresses of their workspace.
 * Throws `validation_failed` for a reserved slug and `conflict` for one in use. A lock serialises
 * creations in a workspace until the commit.
 */
export async function newMcpSlug(
  manager: EntityManager,
  workspaceId: string,
  { name, slug: requestedSlug }: { readonly name: string; readonly slug?: string | undefined },
): Promise<string> {
  if (requestedSlug !== undefined && RESERVED.has(requestedSlug.toLowerCase()))
    throw invalid('slug', 'slug must not be all, mcp, sse or messages; choose another one');
  const slug = requestedSlug ?? `${slugOf(name, SLUG_BASE_MAX)}-${randomHex(3)}`;
  await manager.query(`SELECT pg_advisory_xact_lock(hashtext($1))`, [`mcp_slugs:${workspaceId}`]);
  const where = { workspaceId, slug, status: 'active' } as const;
  await assertSlugFree(manager, McpServerEntity, where);
  await assertSlugFree(manager, McpToolsetEntity, where);
  return slug;
}
