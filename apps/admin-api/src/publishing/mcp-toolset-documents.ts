import {
  MCP_CATALOGUE_MAX,
  type DocumentKey,
  type McpCatalogueDocument,
  type McpToolsetDocument,
  type ReadModelDocument,
} from '@gw/contracts';
import { McpServerEntity, McpToolsetEntity, OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { UUID } from '@gw/kernel';
import { In, type EntityManager } from 'typeorm';
import { toolOverrideOf } from '../platform/mcp/toolset-members';
import { versioned } from './document-builders';
import type { WantedRow } from './document-keys';

type Wanted<K extends WantedRow['kind']> = Extract<WantedRow, { kind: K }> & { readonly key: DocumentKey };
type Documents = Map<DocumentKey, ReadModelDocument>;

/** Adds the documents of toolsets by slug or id, with their active servers. */
export async function addMcpToolsets(
  manager: EntityManager,
  wanted: readonly Wanted<'mcp_toolset'>[],
  to: Documents,
): Promise<void> {
  if (wanted.length === 0) return;
  const toolsets = await manager
    .createQueryBuilder(McpToolsetEntity, 't')
    .innerJoin(WorkspaceEntity, 'workspace', `workspace.id = t.workspaceId AND workspace.status = 'active'`)
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = t.organisationId AND organisation.status = 'active'`,
    )
    .where(
      `((t.workspaceId, t.slug) IN (
           SELECT * FROM unnest(CAST(:workspaceIds AS uuid[]), CAST(:names AS text[])))
         OR t.id = ANY(CAST(:ids AS uuid[])))`,
      {
        workspaceIds: wanted.map(({ workspaceId }) => workspaceId),
        names: wanted.map(({ name }) => name),
        ids: wanted.map(({ name }) => name).filter((name) => UUID.test(name)),
      },
    )
    .andWhere(`t.status = 'active'`)
    .getMany();
  const slugs = await slugsOfServers(manager, toolsets);
  // Ids come last, because a slug may look like the id of another toolset.
  const byName = new Map([
    ...toolsets.map((row) => [`${row.workspaceId}:${row.slug}`, row] as const),
    ...toolsets.map((row) => [`${row.workspaceId}:${row.id}`, row] as const),
  ]);
  for (const { key, workspaceId, name } of wanted) {
    const row = byName.get(`${workspaceId}:${name}`);
    if (row) to.set(key, toolsetDocument(row, slugs));
  }
}

/**
 * Returns the slugs of active servers in the workspaces of the toolsets, by workspace and server
 * id.
 */
async function slugsOfServers(
  manager: EntityManager,
  toolsets: readonly McpToolsetEntity[],
): Promise<ReadonlyMap<string, string>> {
  const ids = toolsets.flatMap(({ members }) => members.map(({ server_id }) => server_id));
  if (ids.length === 0) return new Map();
  const rows = await manager.find(McpServerEntity, {
    where: { id: In(ids), status: 'active' },
    select: { id: true, slug: true, workspaceId: true },
  });
  return new Map(rows.map(({ workspaceId, id, slug }) => [`${workspaceId}:${id}`, slug]));
}

const toolsetDocument = (row: McpToolsetEntity, slugs: ReadonlyMap<string, string>): McpToolsetDocument =>
  versioned<McpToolsetDocument>({
    kind: 'mcp_toolset',
    id: row.id,
    slug: row.slug,
    name: row.name,
    organisationId: row.organisationId,
    workspaceId: row.workspaceId,
    instructions: row.instructions,
    members: row.members.flatMap(({ server_id, overrides, ...member }) => {
      const server = slugs.get(`${row.workspaceId}:${server_id}`);
      if (server === undefined) return [];
      const shown = Object.entries(overrides).map(([name, each]) => [name, toolOverrideOf(each)] as const);
      return [{ serverId: server_id, server, ...member, overrides: Object.fromEntries(shown) }];
    }),
    mode: row.mode,
    failure: row.failure,
  });

type CatalogueRow = Pick<McpCatalogueDocument, 'workspaceId' | 'organisationId' | 'servers'>;

/** Adds the MCP catalogues of workspaces, which list their servers. */
export async function addMcpCatalogues(
  manager: EntityManager,
  wanted: readonly Wanted<'mcp_catalogue'>[],
  to: Documents,
): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await manager.query<CatalogueRow[]>(CATALOGUES, [
    wanted.map(({ id }) => id),
    MCP_CATALOGUE_MAX,
  ]);
  const byWorkspace = new Map(rows.map((row) => [row.workspaceId, row]));
  for (const { key, id } of wanted) {
    const row = byWorkspace.get(id);
    if (row) to.set(key, versioned<McpCatalogueDocument>({ kind: 'mcp_catalogue', ...row }));
  }
}

const CATALOGUES = `
  SELECT w.id AS "workspaceId", w.organisation_id AS "organisationId", list.servers
  FROM workspaces w
  JOIN organisations o ON o.id = w.organisation_id AND o.status = 'active'
  CROSS JOIN LATERAL (
    SELECT COALESCE(
      jsonb_agg(jsonb_build_object('id', s.id, 'slug', s.slug) ORDER BY s.created_at, s.id), '[]') AS servers
    FROM (
      SELECT id, slug, created_at FROM mcp_servers
      WHERE workspace_id = w.id AND status = 'active'
      ORDER BY created_at, id LIMIT $2
    ) s
  ) list
  WHERE w.id = ANY($1::uuid[]) AND w.status = 'active'`;
