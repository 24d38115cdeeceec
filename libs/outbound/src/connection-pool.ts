import type { Call } from './call';
import { Connection } from './connection';
import type { Connector, TlsMemory } from './connector';
import type { Address } from './request-head';
import { authorityOf, type Target } from './target';
import { OutboundError } from './types';

export interface PoolLimits {
  /** Open connections of one pool. */
  readonly connectionsMax: number;
  /** Calls that wait for a connection of one pool; further ones fail at once. */
  readonly waitingMax: number;
  readonly keepAliveTimeoutMs: number;
}

/** Idle connections are closed up to this much after their time; none is used past it. */
const SWEEP_EVERY_MAX_MS = 1_000;
const SWEEP_EVERY_MIN_MS = 10;

/** The connections to one origin that one class of calls shares. */
export class ConnectionPool {
  readonly address: Address;
  lastUsedAt = 0;
  private readonly connections = new Set<Connection>();
  /** Last in, first out: the connections of a burst grow old and close. */
  private readonly idle: Connection[] = [];
  private readonly waiting = new Set<Call>();
  private sweeping: NodeJS.Timeout | null = null;

  constructor(
    readonly key: string,
    readonly target: Target,
    readonly connector: Connector,
    readonly memory: TlsMemory,
    readonly limits: PoolLimits,
    /** Called when the last connection is gone and nothing waits. */
    private readonly onEmpty: (pool: ConnectionPool) => void,
  ) {
    const proxy = connector.absoluteFormProxy(target);
    this.address = {
      host: new URL(target.origin).host,
      pathPrefix: proxy ? target.origin : '',
      proxyHeaders: proxy?.authorization ? ['proxy-authorization', proxy.authorization] : [],
    };
  }

  get size(): number {
    return this.connections.size;
  }

  get idleCount(): number {
    return this.idle.length;
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  get isBusy(): boolean {
    return this.connections.size > this.idle.length || this.waiting.size > 0;
  }

  /** Starts the call on an idle or a new connection, or lets it wait. `now`: by `performance.now()`. @throws OutboundError at the cap. */
  take(call: Call, now: number): void {
    const connection = this.takeIdle(now);
    if (connection) {
      call.startOn(connection);
    } else if (this.connections.size < this.limits.connectionsMax) {
      call.startOn(this.add());
    } else if (this.waiting.size < this.limits.waitingMax) {
      this.waiting.add(call);
    } else {
      const { connectionsMax, waitingMax } = this.limits;
      throw new OutboundError(
        'unreachable',
        `All ${String(connectionsMax)} connections to ${authorityOf(this.target)} are in use and ${String(waitingMax)} calls wait already.`,
        null,
        { reason: 'connections_exhausted' },
      );
    }
  }

  stopWaiting(call: Call): void {
    this.waiting.delete(call);
    this.forgetIfEmpty();
  }

  /** The call on it has ended well. */
  release(connection: Connection, now: number): void {
    if (!connection.finish(now)) {
      this.discard(connection);
      return;
    }
    const next = this.nextWaiting();
    if (next) {
      next.startOn(connection);
      return;
    }
    this.idle.push(connection);
    if (this.sweeping === null) this.sweepLater();
  }

  /** What the connection still carries is unknown, or its end is near. */
  discard(connection: Connection): void {
    if (!this.connections.delete(connection)) return;
    connection.destroy();
    const next = this.nextWaiting();
    if (next) next.startOn(this.add());
    else this.forgetIfEmpty();
  }

  /** Moves a call from a connection that has turned out dead to a new one, which idle ones may be too. */
  replace(connection: Connection, call: Call): void {
    this.connections.delete(connection);
    connection.destroy();
    call.startOn(this.add());
  }

  /** Closes an idle connection. */
  drop(connection: Connection): void {
    const index = this.idle.indexOf(connection);
    if (index === -1) return;
    this.idle.splice(index, 1);
    this.connections.delete(connection);
    connection.destroy();
    this.forgetIfEmpty();
  }

  /** Ends the calls that run or wait. */
  stopCalls(): void {
    for (const call of [...this.waiting]) call.stop();
    for (const { call } of [...this.connections]) call?.stop();
  }

  /** Closes all connections. Calls must have been failed before. */
  close(): void {
    const connections = [...this.connections];
    this.connections.clear();
    this.idle.length = 0;
    if (this.sweeping !== null) clearTimeout(this.sweeping);
    this.sweeping = null;
    for (const connection of connections) connection.destroy();
    this.onEmpty(this);
  }

  private takeIdle(now: number): Connection | null {
    for (;;) {
      const connection = this.idle.pop();
      if (!connection) return null;
      if (connection.isFit(now)) return connection;
      this.connections.delete(connection);
      connection.destroy();
    }
  }

  /** One timer for all idle connections of the pool, since a timer for each would be set anew at each call. */
  private sweepLater(): void {
    const every = Math.min(
      Math.max(this.limits.keepAliveTimeoutMs / 2, SWEEP_EVERY_MIN_MS),
      SWEEP_EVERY_MAX_MS,
    );
    this.sweeping = setTimeout(() => this.sweep(), every).unref();
  }

  private sweep(): void {
    this.sweeping = null;
    const now = performance.now();
    for (const connection of [...this.idle]) {
      if (connection.isFit(now)) connection.unreference();
      else this.drop(connection);
    }
    if (this.idle.length > 0) this.sweepLater();
  }

  private add(): Connection {
    const connection = new Connection(this);
    this.connections.add(connection);
    return connection;
  }

  private nextWaiting(): Call | null {
    for (const call of this.waiting) {
      this.waiting.delete(call);
      return call;
    }
    return null;
  }

  private forgetIfEmpty(): void {
    if (this.connections.size === 0 && this.waiting.size === 0) this.onEmpty(this);
  }
}
