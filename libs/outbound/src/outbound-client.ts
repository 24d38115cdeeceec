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
  /** Connections per origin and pool class; further calls wait. */
  readonly maxConnectionsPerOrigin: number;
  /** Calls that wait for a connection of one pool; further ones fail as `unreachable`. Default: four per connection. */
  readonly maxWaitingPerOrigin?: number;
  /** At the cap the pool that was idle for longest is closed; when all are in use, calls to new origins fail as `unreachable`. */
  readonly maxPools: number;
  /** How long a connection stays open without a call, unless the provider says less. */
  readonly keepAliveTimeoutMs: number;
  /** Names to addresses; the resolver of the system by default. */
  readonly lookup?: LookupAll;
}

export interface OutboundStats {
  readonly pools: number;
  readonly connections: number;
  readonly idleConnections: number;
  /** Calls that have begun and not ended, the waiting ones included. */
  readonly calls: number;
  readonly waiting: number;
  /** Calls with an armed time limit. */
  readonly timers: number;
  readonly timerRunning: boolean;
}

const WAITING_PER_CONNECTION = 4;

/**
 * Streaming HTTP/1.1 client of the request path. Redirects are answers like any other (its users refuse them), bodies are passed as received, and
 * nothing is sent twice: a request moves to another connection only while no byte of it has been written.
 */
export class OutboundClient {
  private readonly pools = new Map<string, ConnectionPool>();
  /** TLS sessions of pools that are gone, no more than there may be pools; the oldest make room. */
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

  /** Never throws, and calls the handler only after it has returned. */
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
   * A connected socket for a protocol that begins as an HTTP call and goes on as something else. The address policy, pinning and
   * proxies apply as to a call: past the TLS handshake for https, and through a CONNECT tunnel behind a proxy, so that what is
   * written reaches the target as it is. It belongs to the caller, is in no pool and is not closed by `close`. `signal` gives up
   * at once, with its reason where that is an OutboundError.
   *
   * @throws OutboundError `refused`, `unreachable` or `stopped`.
   */
  async openSocket(origin: string, signal: AbortSignal): Promise<Socket> {
    if (this.isClosed) throw clientIsClosed();
    return this.connector.openSocket(parseTarget(origin), {}, signal, true);
  }

  /** Ends the calls that still run with `stopped`, as all later ones, and closes all connections. */
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

  /** @throws OutboundError for a bad origin, at the cap, and after `close`. */
  private poolFor({ origin, poolClass }: OutboundRequest): ConnectionPool {
    const key = `${poolClass} ${origin}`;
    const known = this.pools.get(key);
    if (known) {
      known.lastUsedAt = this.wheel.now;
      return known;
    }
    if (this.isClosed) throw clientIsClosed();
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
      throw new OutboundError('unreachable', `Calls to ${cap} origins run already.`, null, {
        reason: 'connections_exhausted',
      });
    }
    oldest.close();
  }
}
