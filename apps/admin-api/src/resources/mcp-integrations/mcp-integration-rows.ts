import { McpIntegrationEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { Resource } from '../../platform/resource/rows';
import type { IntegrationAction } from '../../platform/rows/integration-reach';
import { MCP_INTEGRATION, MCP_REACH } from '../../platform/rows/mcp-integrations.queries';
import { keysOfServers } from '../../platform/rows/mcp-rows';
import { countWorkspaces } from '../../platform/upstreams/usable-integrations';
import { toMcpIntegration } from './mcp-integrations.view';

/** Returns the number of active workspaces that may use the integration. */
export const countOf = async (manager: EntityManager, row: McpIntegrationEntity): Promise<number> =>
  (await countWorkspaces(manager, MCP_INTEGRATION, [row])).get(row.id) ?? 0;

/**
 * Describes the MCP integrations on which a caller may perform the action; the caller's scopes
 * decide which ones.
 */
export const mcpIntegrationTo = (action: IntegrationAction): Resource<McpIntegrationEntity> => ({
  entity: McpIntegrationEntity,
  type: 'mcp_integrations',
  view: async (row, _caller, manager) => {
    // Health checks change the health at any time; these are not changes by a user.
    const { health: _health, ...view } = toMcpIntegration(row, await countOf(manager, row));
    return view;
  },
  where: (caller, reference) => {
    const where = MCP_REACH.where<McpIntegrationEntity>(caller, action, reference);
    if (where.length === 0) throw new GatewayError('not_found');
    return where;
  },
  changes: (row, manager) => keysOfServers(manager, row),
});
