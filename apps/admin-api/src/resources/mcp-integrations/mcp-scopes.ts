import type { IntegrationAction } from '../../platform/rows/integration-reach';

/**
 * Returns the scopes of a route, one of which the caller needs; the integration decides which one.
 */
export const mcpScopes = (action: IntegrationAction): [string, string] => [
  `organisation_mcp_integrations.${action}`,
  `workspace_mcp_integrations.${action}`,
];
