import { plain } from '../members';
import { cleared, members, post, present, put, removeByForce, type Kind } from '../kind';

const LABEL = ['description', 'color_code'] as const;

/**
 * Labels of the organisation and of its workspaces. Files do not contain built-in labels, which are
 * part of the product.
 */
export const labels: Kind = {
  name: 'labels',
  members: plain('workspace', 'name', ...LABEL),
  identity: ['workspace', 'name'],
  removable: true,
  removeUsed: removeByForce,
  async existing({ api, workspaces }) {
    const rows = await api.all('/v1/labels');
    return rows
      .filter((row) => row['is_universal'] !== true)
      .map((row) => {
        const workspace = row['workspace_id'];
        return {
          item: {
            workspace: typeof workspace === 'string' ? workspaces.slugOf(workspace) : null,
            ...members(row, 'name', ...LABEL),
          },
          path: `/v1/labels/${String(row['id'])}`,
        };
      });
  },
  create: (context, item) =>
    post(context, '/v1/labels', {
      ...present(item, 'name', ...LABEL),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
    }),
  update: (context, path, item) => put(context, path, { name: item['name'], ...cleared(item, ...LABEL) }),
};
