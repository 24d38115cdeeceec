import type { AccessCaller, ClientCapabilities } from '@gw/mcp';
import type { McpUpstream } from '@gw/mcp-client';

/** A client that makes the calls of one owner at an MCP server or an HTTP service. */
export type CalledUpstream = Pick<McpUpstream, 'connect' | 'describe' | 'listen' | 'request' | 'perform'>;

/**
 * The owner of an upstream session: one session of a client, or one caller without sessions. All
 * calls of the owner share the session.
 */
export interface UpstreamOwner {
  readonly binding: string;
  readonly session: string | null;
  /** The user whose credential a server with user sign-in needs, and whom signed tokens name. */
  readonly caller: AccessCaller;
  readonly capabilities: ClientCapabilities;
}
