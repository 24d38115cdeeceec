import { McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { Not, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { countWorkspaces, usableIntegrations, type IntegrationKind } from '../upstreams/usable-integrations';
import { integrationReach } from './integration-reach';
import { MCP_AVAILABLE } from './mcp-rows';

/** Decides which MCP integrations a caller may reach. */
export const MCP_REACH = integrationReach('mcp_integrations');

export const MCP_INTEGRATION: IntegrationKind<McpIntegrationEntity> = {
  ...{ entity: McpIntegrationEntity, table: 'mcp_integrations', available: MCP_AVAILABLE, reach: MCP_REACH },
};

/**
 * Selects the active MCP integrations of the organisation that a workspace may use, with the alias
 * `i`; all of them when the workspace is null.
 */
export const usableMcpIntegrations = (
  manager: EntityManager,
  owner: { readonly organisationId: string; readonly workspaceId: string | null },
): SelectQueryBuilder<McpIntegrationEntity> => usableIntegrations(manager, MCP_INTEGRATION, owner);

/** Returns the number of workspaces that may use each integration, by integration id. */
export const countMcpWorkspaces = (
  manager: EntityManager,
  integrations: readonly Pick<McpIntegrationEntity, 'id'>[],
): Promise<ReadonlyMap<string, number>> => countWorkspaces(manager, MCP_INTEGRATION, integrations);

/** Returns the servers of an integration that are not archived. */
export const liveMcpServers = (
  manager: EntityManager,
  { id }: Pick<McpIntegrationEntity, 'id'>,
): Promise<McpServerEntity[]> =>
  manager.findBy(McpServerEntity, { integrationId: id, status: Not('archived') });
