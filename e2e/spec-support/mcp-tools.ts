import type { TestAdminApi, Tenant } from '../../apps/admin-api/src/spec-support/admin-api';
import {
  insertCapability,
  insertMcpIntegration,
  insertMcpServer,
} from '../../apps/admin-api/src/spec-support/mcp-servers';
import type { State } from '../../apps/cli/src/reconcile';
import { MCP_SERVER, MCP_TOOL } from './cli-states';

export interface Tools {
  readonly server: string;
  readonly tool: string;
}

/** Inserts an MCP server with one tool into the tenant, and returns their ids. */
export async function insertTools(admin: TestAdminApi, tenant: Tenant): Promise<Tools> {
  const { manager } = admin.dataSource;
  const { id } = await insertMcpIntegration(manager, tenant, { slug: 'inserted' });
  const server = await insertMcpServer(manager, tenant, id, { slug: 'inserted' });
  return { server: server.id, tool: (await insertCapability(manager, id, 'read')).id };
}

/** Returns the state with the ids of a tenant's MCP server and tool, in place of `from`. */
export const withTools = (
  state: State,
  to: Tools,
  from: Tools = { server: MCP_SERVER, tool: MCP_TOOL },
): State =>
  JSON.parse(
    JSON.stringify(state).replaceAll(from.server, to.server).replaceAll(from.tool, to.tool),
  ) as State;
