import type { IntegrationAction } from '../../platform/rows/integration-reach';

/** Scopes of a route, of which the caller needs one; the integration decides which one. */
export const agentScopes = (action: IntegrationAction): [string, string] => [
  `organisation_agent_integrations.${action}`,
  `workspace_agent_integrations.${action}`,
];

/** Scopes of a route about skills. */
export const skillScopes = (action: 'read' | 'update'): [string, ...string[]] => [
  ...agentScopes(action),
  `agent_integration_skills.${action}`,
];
