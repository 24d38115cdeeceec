import { plain } from '../members';
import { MCP_SERVERS, serversOfWorkspaces } from './mcp.kinds';
import { serverAccess } from './server-access';

/** Access of users to the tools of MCP servers. */
export const mcpServerAccess = serverAccess({
  ...{ name: 'mcp_server_access', of: 'server', path: MCP_SERVERS, existing: serversOfWorkspaces },
  rule: { ...plain('tools', 'effect'), when: { isContent: true } },
});
