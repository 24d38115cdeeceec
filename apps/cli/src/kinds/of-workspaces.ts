import type { Json } from '../api-client';
import { put, type Item, type Standing, type World } from '../kind';

/** Reads the items of every workspace, each with the name of its workspace. */
export async function ofWorkspaces(
  world: World,
  path: string,
  toItem: (row: Json, workspace: string) => Item | Promise<Item>,
  nameOf: (row: Json) => string = (row) => String(row['slug']),
): Promise<Standing[]> {
  const standing: Standing[] = [];
  for (const [slug, id] of world.workspaces.all) {
    for (const row of await world.api.all(path, { workspace_id: id })) {
      standing.push({
        item: { workspace: slug, ...(await toItem(row, id)) },
        path: `${path}/${nameOf(row)}?workspace_id=${id}`,
      });
    }
  }
  return standing;
}

/** Adds `workspace_id` to the body, as updates need it. */
const inBody = (path: string): { readonly path: string; readonly workspace_id: string | null } => {
  const [plain = path, query] = path.split('?');
  return { path: plain, workspace_id: new URLSearchParams(query).get('workspace_id') };
};

export async function change(world: World, path: string, body: Json): Promise<Json> {
  const at = inBody(path);
  return put(world, at.path, { ...body, workspace_id: at.workspace_id });
}
