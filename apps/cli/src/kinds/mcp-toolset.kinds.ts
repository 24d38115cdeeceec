import { cleared, members, post, present, type Kind } from '../kind';
import { plain } from '../members';
import { change, ofWorkspaces } from './of-workspaces';

const TOOLSETS = '/v1/mcp-toolsets';

/**
 * Toolsets: selected tools, prompts and resources of a workspace's MCP servers under one URL. The
 * order of the members is significant: clients see them in it, and a name that an earlier member
 * has gets a suffix.
 */
export const mcpToolsets: Kind = {
  name: 'mcp_toolsets',
  identity: ['workspace', 'slug'],
  members: {
    ...plain('workspace', 'slug', 'name', 'description', 'instructions'),
    mode: { fallback: 'list' },
    failure: { fallback: 'partial' },
    members: {
      // Each member is one server. An empty prefix means no prefix; a missing one means the slug of
      // the server.
      members: {
        ...plain('server', 'include', 'exclude', 'aliases'),
        prefix: { isContent: true, keepsEmpty: true },
        overrides: { isContent: true },
      },
      fallback: [],
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
