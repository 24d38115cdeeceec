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

  /**
   * Null for what does not exist and for what is not the caller's: both are the same to callers. A known server is found without
   * a promise.
   */
  find(
    principal: GatewayPrincipal,
    { workspace, server }: McpPlace,
  ): Endpoint | null | Promise<Endpoint | null> {
    const own = principal.workspace;
    if (workspace !== null && workspace !== own.slug && workspace !== own.id) return null;
    if (server === null) return this.aggregates.ofWorkspace(principal);
    const found = this.servers.find(principal, server);
    const orToolset = (view: ServerView | null): Endpoint | Promise<Endpoint | null> =>
      view ?? this.aggregates.ofToolset(principal, server);
    return found instanceof Promise ? found.then<Endpoint | null>(orToolset) : orToolset(found);
  }

  /** The same address as it is now for the same caller; the known one while that is not in memory. */
  now(endpoint: Endpoint): Endpoint | null {
    return endpoint instanceof ServerView
      ? this.servers.now(endpoint)
      : this.aggregates.now(endpoint as AggregateView);
  }
}
