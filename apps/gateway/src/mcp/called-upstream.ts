import type { AccessCaller, ClientCapabilities } from '@gw/mcp';
import type { McpUpstream } from '@gw/mcp-client';

/** Client that carries out the calls of one owner at an MCP server or an HTTP service. */
export type CalledUpstream = Pick<McpUpstream, 'connect' | 'describe' | 'listen' | 'request' | 'perform'>;

/** Whose calls share an upstream session: those of one session of a client, or of one caller without sessions. */
export interface UpstreamOwner {
  readonly binding: string;
  readonly session: string | null;
  /** Whose credential a server of users needs, and whom signed tokens name. */
  readonly caller: AccessCaller;
  readonly capabilities: ClientCapabilities;
}
