import type { Json } from '../api-client';
import { plain } from '../members';
import { members, post, type Kind, type ExistingItem, type ReconcileContext } from '../kind';
import { change } from './of-workspaces';

/** Collections of a workspace by id, except the default one, which every instance has itself. */
async function collectionsOf(
  context: ReconcileContext,
  workspaceId: string,
): Promise<ReadonlyMap<string, Json>> {
  const known = context.collections.get(workspaceId);
  if (known) return known;
  const rows = await context.api.all('/v1/collections', { workspace_id: workspaceId });
  const byId = new Map(rows.map((row) => [String(row['id']), row]));
  context.collections.set(workspaceId, byId);
  return byId;
}

/** Returns the slug of a collection for a file; null for the default one. */
export async function collectionOf(
  context: ReconcileContext,
  workspaceId: string,
  id: unknown,
): Promise<string | null> {
  if (typeof id !== 'string') return null;
  const row = (await collectionsOf(context, workspaceId)).get(id);
  return row && row['is_default'] !== true ? String(row['slug']) : null;
}

export async function defaultCollectionOf(context: ReconcileContext, workspaceId: string): Promise<string> {
  const rows = [...(await collectionsOf(context, workspaceId)).values()];
  return String(rows.find((row) => row['is_default'] === true)?.['id']);
}

export const collections: Kind = {
  name: 'collections',
  members: { ...plain('workspace', 'slug', 'name'), parent: { api: 'parent_collection_id' } },
  identity: ['workspace', 'slug'],
  removable: true,
  async existing(context) {
    const existing: ExistingItem[] = [];
    for (const [workspace, workspaceId] of context.workspaces.all) {
      const rows = await collectionsOf(context, workspaceId);
      for (const row of outermostFirst([...rows.values()])) {
        existing.push({
          item: {
            workspace,
            ...members(row, 'slug', 'name'),
            parent: await collectionOf(context, workspaceId, row['parent_collection_id']),
          },
          path: `/v1/collections/${String(row['slug'])}?workspace_id=${workspaceId}`,
        });
      }
    }
    return existing;
  },
  create: (context, item) =>
    post(context, '/v1/collections', {
      ...members(item, 'slug', 'name'),
      parent_collection_id: item['parent'] ?? null,
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item) =>
    change(context, path, { name: item['name'], parent_collection_id: item['parent'] ?? null }),
};

/** Returns the workspace's collections without the default one, parents before children. */
function outermostFirst(rows: readonly Json[]): Json[] {
  const byId = new Map(rows.map((row) => [row['id'], row]));
  const depthOf = (row: Json): number => {
    const parent = byId.get(row['parent_collection_id']);
    return parent ? depthOf(parent) + 1 : 0;
  };
  return rows.filter((row) => row['is_default'] !== true).sort((one, other) => depthOf(one) - depthOf(other));
}
