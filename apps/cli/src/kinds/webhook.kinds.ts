import { plain } from '../members';
import { members, post, present, put, type Kind } from '../kind';

const WEBHOOKS = '/v1/alert-webhooks';

/**
 * URLs to which alerts are posted. The server creates their signing secrets and shows them once.
 */
export const alertWebhooks: Kind = {
  name: 'alert_webhooks',
  identity: ['workspace', 'name'],
  members: { ...plain('workspace', 'name', 'url'), enabled: { fallback: true } },
  removable: true,
  async existing({ api, workspaces }) {
    const rows = await api.all(WEBHOOKS);
    return rows.map((row) => {
      const workspace = row['workspace_id'];
      return {
        item: {
          workspace: typeof workspace === 'string' ? workspaces.slugOf(workspace) : null,
          ...members(row, 'name', 'url', 'enabled'),
        },
        path: `${WEBHOOKS}/${String(row['id'])}`,
      };
    });
  },
  create: (context, item) =>
    post(context, WEBHOOKS, {
      ...present(item, 'name', 'url', 'enabled'),
      ...(item['workspace'] === undefined
        ? {}
        : { workspace_id: context.workspaces.idOf(item['workspace']) }),
    }),
  update: (context, path, item) => put(context, path, present(item, 'name', 'url', 'enabled')),
};
