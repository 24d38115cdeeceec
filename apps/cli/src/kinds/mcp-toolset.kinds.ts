import { cleared, members, post, present, type Kind } from '../kind';
import { plain } from '../members';
import { change, ofWorkspaces } from './of-workspaces';

const TOOLSETS = '/v1/mcp-toolsets';

/**
 * Toolsets: servers of a workspace under one address. The order of the servers determines the order
 * of names.
 */
export const mcpToolsets: Kind = {
  name: 'mcp_toolsets',
  identity: ['workspace', 'slug'],
  members: {
    ...plain('workspace', 'slug', 'name', 'description', 'instructions'),
    mode: { fallback: 'list' },
    failure: { fallback: 'partial' },
    members: {
      // An empty prefix means no prefix; a missing one means the slug of the server.
      members: {
        ...plain('server', 'include', 'exclude', 'aliases'),
        prefix: { isContent: true, keepsEmpty: true },
        overrides: { isContent: true },
      },
      keepsEmpty: true,
    },
  },
  removable: true,
  existing: (context) =>
    ofWorkspaces(
      context,
      TOOLSETS,
      (row) => members(row, 'slug', 'name', 'description', 'instructions', 'mode', 'failure', 'members'),
      ({ id }) => String(id),
    ),
  create: (context, item) =>
    post(context, TOOLSETS, {
      ...present(item, 'slug', 'name', 'description', 'instructions', 'mode', 'failure'),
      members: item['members'] ?? [],
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, path, item) =>
    change(context, path, {
      ...present(item, 'name', 'mode', 'failure'),
      ...cleared(item, 'description', 'instructions'),
      members: item['members'] ?? [],
    }),
};
