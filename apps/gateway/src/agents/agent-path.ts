import type { AgentPlace } from '@gw/a2a';

/**
 * Returns the path of an agent at this gateway, which is also the resource of OAuth tokens for the
 * agent.
 */
export const agentPath = ({ workspace, agent }: AgentPlace): string =>
  workspace === null ? `/v1/agent/${agent}` : `/${workspace}/agents/${agent}`;
