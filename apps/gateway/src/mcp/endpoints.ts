import type { McpPlace } from '@gw/oauth';
import type { GatewayPrincipal } from '../auth/principals';
import type { AggregateView } from './aggregate/aggregate-view';
import type { Aggregates } from './aggregate/aggregates';
import type { Endpoint } from './endpoint';
import type { McpServers } from './mcp-servers';
import { ServerView } from './server-view';

/** Finds the endpoint of an address for a caller. */
export class Endpoints {
  constructor(
    private readonly servers: McpServers,
    private readonly aggregates: Aggregates,
  ) {}

  /**
   * Returns null when the address does not exist or belongs to another workspace; callers cannot
   * tell the two apart. Returns no promise when the server's document is in memory.
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

  /**
   * Returns the same address for the same caller from the current documents, or the given endpoint
   * while they are not in memory; null when the address no longer exists.
   */
  current(endpoint: Endpoint): Endpoint | null {
    return endpoint instanceof ServerView
      ? this.servers.current(endpoint)
      : this.aggregates.current(endpoint as AggregateView);
  }
}
