import { Shares, type Share } from '@gw/kernel';
import type { Call } from './call';
import { Connection } from './connection';
import type { Connector, TlsMemory } from './connector';
import type { Address } from './request-head';
import { authorityOf, type Target } from './target';
import { OutboundError } from './types';
import { WaitingCalls } from './waiting-calls';

/** Bounds of a pool of connections. */
export interface PoolLimits {
  /** Open connections of one pool. */
  readonly connectionsMax: number;
  /** Calls that wait for a connection of one pool. Further calls fail at once. */
  readonly waitingMax: number;
  readonly keepAliveTimeoutMs: number;
}

/** Idle connections are closed up to this long after their time. None is used after it. */
const SWEEP_EVERY_MAX_MS = 1_000;
const SWEEP_EVERY_MIN_MS = 10;

/**
 * The connections to one origin that one class of calls shares. A holder, such as a model, never
 * uses more of them than remain free, so that a hanging one leaves room for the others (decision
 * 0032).
 */
export class ConnectionPool {
  readonly address: Address;
  lastUsedAt = 0;
  private readonly connections = new Set<Connection>();
  /** Last in, first out, so that the extra connections of a burst become idle and close. */
  private readonly idle: Connection[] = [];
  private readonly waiting: WaitingCalls<Call>;
  private readonly inUse: Shares;
  private sweeping: NodeJS.Timeout | null = null;

  constructor(
    readonly key: string,
    readonly target: Target,
    readonly connector: Connector,
    readonly memory: TlsMemory,
    readonly limits: PoolLimits,
    /** Called when the pool has no connections and no waiting calls. */
    private readonly onEmpty: (pool: ConnectionPool) => void,
  ) {
    this.inUse = new Shares(limits.connectionsMax);
    this.waiting = new WaitingCalls<Call>(limits.waitingMax);
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

  /**
   * Starts the call on an idle or a new connection, or queues it. `now` is from
   * `performance.now()`.
   * @throws OutboundError at the maximum of waiting calls.
   */
  take(call: Call, now: number): void {
    if (this.hasRoomFor(call.holder)) {
      this.start(call, this.takeIdle(now) ?? this.add());
    } else if (!this.waiting.add(call)) {
      const all = `All ${String(this.limits.connectionsMax)} connections to ${authorityOf(this.target)}`;
      throw new OutboundError(
        'unreachable',
        `${all} are in use and ${String(this.waiting.size)} calls are waiting, or the holder has reached its share.`,
        null,
        { reason: 'connections_exhausted' },
      );
    }
  }

  stopWaiting(call: Call): void {
    this.waiting.delete(call);
    this.removeIfEmpty();
  }

  /** Returns a connection to the pool when its call has succeeded. */
  release(connection: Connection, now: number): void {
    if (!connection.finish(now)) {
      this.discard(connection);
      return;
    }
    returnShare(connection);
    this.idle.push(connection);
    if (this.waiting.size > 0) this.startWaiting(now);
    if (this.sweeping === null && this.idle.length > 0) this.sweepLater();
  }

  /** Closes a connection whose state is unknown, or that is about to end. */
  discard(connection: Connection): void {
    if (!this.connections.delete(connection)) return;
    returnShare(connection);
    connection.destroy();
    if (this.waiting.size > 0) this.startWaiting(performance.now());
    this.removeIfEmpty();
  }

  /**
   * Moves a call from a connection that was found closed to a new one. Idle ones may be closed too,
   * so they are not used.
   */
  replace(connection: Connection, call: Call): void {
    this.connections.delete(connection);
    connection.destroy();
    const next = this.add();
    next.share = connection.share;
    connection.share = null;
    call.startOn(next);
  }

  /** Closes an idle connection. */
  drop(connection: Connection): void {
    const index = this.idle.indexOf(connection);
    if (index === -1) return;
    this.idle.splice(index, 1);
    this.connections.delete(connection);
    connection.destroy();
    this.removeIfEmpty();
  }

  /** Ends the calls that are in flight or wait. */
  stopCalls(): void {
    for (const call of this.waiting.all()) call.stop();
    for (const { call } of [...this.connections]) call?.stop();
  }

  /** Closes all connections. Calls must have been ended before. */
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

  /**
   * Uses one timer for all idle connections, because a timer per connection would be reset at each
   * call.
   */
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

  /**
   * Returns whether a call may use a connection now. An idle one is used before a new one is
   * opened.
   */
  private hasRoomFor(holder: string): boolean {
    if (this.idle.length === 0 && this.connections.size >= this.limits.connectionsMax) return false;
    return this.shareOf(holder)?.fits(1) !== false;
  }

  /** Returns null for calls without a holder, which count only against the whole. */
  private shareOf(holder: string): Share | null {
    return holder === '' ? null : this.inUse.of(holder, holder);
  }

  private start(call: Call, connection: Connection): void {
    const share = this.shareOf(call.holder);
    share?.take(1);
    connection.share = share;
    call.startOn(connection);
  }

  /** Starts the waiting calls that may use a connection that has become free. */
  private startWaiting(now: number): void {
    const mayStart = (holder: string): boolean => this.hasRoomFor(holder);
    for (let next = this.waiting.next(mayStart); next; next = this.waiting.next(mayStart))
      this.start(next, this.takeIdle(now) ?? this.add());
  }

  private removeIfEmpty(): void {
    if (this.connections.size === 0 && this.waiting.size === 0) this.onEmpty(this);
  }
}

/** Returns the connection's share when its call has ended. */
function returnShare(connection: Connection): void {
  connection.share?.give(1);
  connection.share = null;
}
