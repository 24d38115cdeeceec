import type { Json } from '../api-client';
import { put, type Item, type ExistingItem, type ReconcileContext } from '../kind';

/** Reads the items of every workspace, each with the name of its workspace. */
export async function ofWorkspaces(
  context: ReconcileContext,
  path: string,
  toItem: (row: Json, workspace: string) => Item | Promise<Item>,
  nameOf: (row: Json) => string = (row) => String(row['slug']),
): Promise<ExistingItem[]> {
  const existing: ExistingItem[] = [];
  for (const [slug, id] of context.workspaces.all) {
    for (const row of await context.api.all(path, { workspace_id: id })) {
      existing.push({
        item: { workspace: slug, ...(await toItem(row, id)) },
        path: `${path}/${nameOf(row)}?workspace_id=${id}`,
      });
    }
  }
  return existing;
}

/** Adds `workspace_id` to the body, as updates need it. */
const inBody = (path: string): { readonly path: string; readonly workspace_id: string | null } => {
  const [plain = path, query] = path.split('?');
  return { path: plain, workspace_id: new URLSearchParams(query).get('workspace_id') };
};

export async function change(context: ReconcileContext, path: string, body: Json): Promise<Json> {
  const at = inBody(path);
  return put(context, at.path, { ...body, workspace_id: at.workspace_id });
}
