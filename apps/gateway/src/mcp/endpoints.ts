import type { McpPlace } from '@gw/oauth';
import type { GatewayPrincipal } from '../auth/principals';
import type { AggregateView } from './aggregate/aggregate-view';
import type { Aggregates } from './aggregate/aggregates';
import type { Endpoint } from './endpoint';
import type { McpServers } from './mcp-servers';
import { ServerView } from './server-view';

/** Finds what an address offers to a caller. */
export class Endpoints {
  constructor(
    private readonly servers: McpServers,
    private readonly aggregates: Aggregates,
  ) {}

  /** Null for what does not exist and for what is not the caller's: both are the same to callers. */
  async find(principal: GatewayPrincipal, { workspace, server }: McpPlace): Promise<Endpoint | null> {
    const own = principal.workspace;
    if (workspace !== null && workspace !== own.slug && workspace !== own.id) return null;
    if (server === null) return this.aggregates.ofWorkspace(principal);
    return (await this.servers.find(principal, server)) ?? this.aggregates.ofToolset(principal, server);
  }

  /** The same address as it is now for the same caller; the known one while that is not in memory. */
  now(endpoint: Endpoint): Endpoint | null {
    return endpoint instanceof ServerView
      ? this.servers.now(endpoint)
      : this.aggregates.now(endpoint as AggregateView);
  }
}
