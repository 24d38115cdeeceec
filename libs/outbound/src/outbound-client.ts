import type { Socket } from 'node:net';
import type { AddressPolicy } from '@gw/kernel';
import { Call, type CallHost } from './call';
import { ConnectionPool, type PoolLimits } from './connection-pool';
import { Connector, type LookupAll, type TlsMemory } from './connector';
import { clientIsClosed } from './failures';
import { createProxySelector, type ProxySettings } from './proxy';
import { parseTarget } from './target';
import { TimerWheel } from './timer-wheel';
import { OutboundError, type OutboundCall, type OutboundHandler, type OutboundRequest } from './types';

export interface OutboundClientOptions {
  readonly policy: AddressPolicy;
  readonly proxy?: ProxySettings;
  /** Connections per origin and pool class. Further calls wait. */
  readonly maxConnectionsPerOrigin: number;
  /**
   * Calls that wait for a connection of one pool. Further calls fail as `unreachable`. Default:
   * four per connection.
   */
  readonly maxWaitingPerOrigin?: number;
  /**
   * Maximum number of pools. Beyond it, the pool that was idle for longest is closed; if all are in
   * use, calls to new origins fail as `unreachable`.
   */
  readonly maxPools: number;
  /** How long an idle connection stays open, unless the provider allows less. */
  readonly keepAliveTimeoutMs: number;
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: LookupAll;
}

export interface OutboundStats {
  readonly pools: number;
  readonly connections: number;
  readonly idleConnections: number;
  /** Calls in flight, including those that wait. */
  readonly calls: number;
  readonly waiting: number;
  /** Calls with an armed timeout. */
  readonly timers: number;
  readonly timerRunning: boolean;
}

const WAITING_PER_CONNECTION = 4;

/**
 * Streaming HTTP/1.1 client for requests to providers. It returns redirects like any other response
 * (callers refuse them), passes bodies unchanged, and sends nothing twice: a request moves to
 * another connection only before its first byte is written.
 */
export class OutboundClient {
  private readonly pools = new Map<string, ConnectionPool>();
  /**
   * TLS sessions of closed pools, at most as many as there may be pools. The oldest are evicted.
   */
  private readonly memories = new Map<string, TlsMemory>();
  private readonly wheel = new TimerWheel();
  private readonly connector: Connector;
  private readonly limits: PoolLimits;
  private readonly callHost: CallHost;
  private isClosed = false;

  constructor(private readonly options: OutboundClientOptions) {
    const { policy, proxy, lookup, maxConnectionsPerOrigin, maxWaitingPerOrigin, keepAliveTimeoutMs } =
      options;
    this.connector = new Connector(policy, createProxySelector(proxy ?? {}), lookup);
    this.limits = {
      connectionsMax: maxConnectionsPerOrigin,
      waitingMax: maxWaitingPerOrigin ?? maxConnectionsPerOrigin * WAITING_PER_CONNECTION,
      keepAliveTimeoutMs,
    };
    this.callHost = { wheel: this.wheel, running: 0 };
  }

  /** Starts a call. Never throws, and calls the handler only after it has returned. */
  dispatch(request: OutboundRequest, handler: OutboundHandler): OutboundCall {
    const call = new Call(this.callHost, request, handler);
    try {
      call.enter(this.poolFor(request));
    } catch (error) {
      call.failSoon(error as OutboundError);
    }
    return call;
  }

  /**
   * Opens a connected socket for a protocol that begins as an HTTP call and then changes. The
   * address policy, pinning and proxies apply as for a call: TLS for https, and a CONNECT tunnel
   * with a proxy, so that bytes reach the target unchanged. The caller owns the socket; it belongs
   * to no pool and `close` does not close it; `poolClass` is the owner of the DNS lookup. `signal`
   * aborts at once, with its reason if that is an OutboundError.
   * @throws OutboundError `refused`, `unreachable` or `stopped`.
   */
  async openSocket(
    { origin, poolClass }: Pick<OutboundRequest, 'origin' | 'poolClass'>,
    signal: AbortSignal,
  ): Promise<Socket> {
    if (this.isClosed) throw clientIsClosed();
    return this.connector.openSocket({ ...parseTarget(origin), owner: poolClass }, {}, signal, true);
  }

  /** Closes all connections. Calls that are in flight and all later ones fail as `stopped`. */
  close(): void {
    this.isClosed = true;
    for (const pool of [...this.pools.values()]) {
      pool.stopCalls();
      pool.close();
    }
  }

  stats(): OutboundStats {
    let [connections, idleConnections, waiting] = [0, 0, 0];
    for (const pool of this.pools.values()) {
      connections += pool.size;
      idleConnections += pool.idleCount;
      waiting += pool.waitingCount;
    }
    const { entries: timers, running: timerRunning } = this.wheel;
    const [pools, calls] = [this.pools.size, this.callHost.running];
    return { pools, connections, idleConnections, calls, waiting, timers, timerRunning };
  }

  /**
   * Returns the pool of a request, and creates it if needed.
   * @throws OutboundError for an invalid origin, at the maximum of pools, and after `close`.
   */
  private poolFor({ origin, poolClass }: OutboundRequest): ConnectionPool {
    if (this.isClosed) throw clientIsClosed();
    const key = `${poolClass} ${origin}`;
    const known = this.pools.get(key);
    if (known) {
      known.lastUsedAt = this.wheel.now;
      return known;
    }
    const target = { ...parseTarget(origin), owner: poolClass };
    if (this.pools.size >= this.options.maxPools) this.evict();
    const memory = this.memories.get(key) ?? {};
    this.memories.delete(key);
    const forget = (empty: ConnectionPool): void => this.forget(empty);
    const pool = new ConnectionPool(key, target, this.connector, memory, this.limits, forget);
    pool.lastUsedAt = this.wheel.now;
    this.pools.set(key, pool);
    return pool;
  }

  private forget(pool: ConnectionPool): void {
    if (this.pools.get(pool.key) !== pool) return;
    this.pools.delete(pool.key);
    if (!pool.target.isTls || this.isClosed) return;
    this.memories.set(pool.key, pool.memory);
    if (this.memories.size <= this.options.maxPools) return;
    for (const oldest of this.memories.keys()) {
      this.memories.delete(oldest);
      return;
    }
  }

  private evict(): void {
    let oldest: ConnectionPool | null = null;
    for (const pool of this.pools.values()) {
      if (!pool.isBusy && (oldest === null || pool.lastUsedAt < oldest.lastUsedAt)) oldest = pool;
    }
    if (!oldest) {
      const cap = String(this.options.maxPools);
      throw new OutboundError('unreachable', `Calls to ${cap} origins are already in flight.`, null, {
        reason: 'connections_exhausted',
      });
    }
    oldest.close();
  }
}
