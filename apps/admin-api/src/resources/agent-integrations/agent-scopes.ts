import type { IntegrationAction } from '../../platform/rows/integration-reach';

/**
 * Returns the scopes of a route, one of which the caller needs; the integration decides which one.
 */
export const agentScopes = (action: IntegrationAction): [string, string] => [
  `organisation_agent_integrations.${action}`,
  `workspace_agent_integrations.${action}`,
];

/** Returns the scopes of a route for skills. */
export const skillScopes = (action: 'read' | 'update'): [string, ...string[]] => [
  ...agentScopes(action),
  `agent_integration_skills.${action}`,
];
