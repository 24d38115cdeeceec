import type { IntegrationAction } from '../../platform/rows/integration-reach';

/** Scopes of a route, of which the caller needs one; the integration decides which one. */
export const mcpScopes = (action: IntegrationAction): [string, string] => [
  `organisation_mcp_integrations.${action}`,
  `workspace_mcp_integrations.${action}`,
];
