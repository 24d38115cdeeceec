import type { AgentPlace } from '@gw/a2a';

/** Path of an agent at this gateway. Clients of OAuth get tokens for it. */
export const agentPath = ({ workspace, agent }: AgentPlace): string =>
  workspace === null ? `/v1/agent/${agent}` : `/${workspace}/agents/${agent}`;
