import { Shares, type Share } from '@gw/kernel';
import type { Call } from './call';
import { Connection } from './connection';
import type { Connector, TlsMemory } from './connector';
import type { Address } from './request-head';
import { authorityOf, type Target } from './target';
import { OutboundError } from './types';
import { WaitingCalls } from './waiting-calls';

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

/**
 * The connections to one origin that one class of calls shares. A holder, such as a model, never has more of them in use than
 * stay free, so that one that hangs leaves room for the others (decision 0032).
 */
export class ConnectionPool {
  readonly address: Address;
  lastUsedAt = 0;
  private readonly connections = new Set<Connection>();
  /** Last in, first out: the connections of a burst grow old and close. */
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
    /** Called when the last connection is gone and nothing waits. */
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

  /** Starts the call on an idle or a new connection, or lets it wait. `now`: by `performance.now()`. @throws OutboundError at the cap. */
  take(call: Call, now: number): void {
    if (this.hasRoomFor(call.holder)) {
      this.start(call, this.takeIdle(now) ?? this.add());
    } else if (!this.waiting.add(call)) {
      const all = `All ${String(this.limits.connectionsMax)} connections to ${authorityOf(this.target)}`;
      throw new OutboundError(
        'unreachable',
        `${all} are in use and ${String(this.waiting.size)} calls wait already, or the share of these that one holder has.`,
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
    giveBack(connection);
    this.idle.push(connection);
    if (this.waiting.size > 0) this.startWaiting(now);
    if (this.sweeping === null && this.idle.length > 0) this.sweepLater();
  }

  /** What the connection still carries is unknown, or its end is near. */
  discard(connection: Connection): void {
    if (!this.connections.delete(connection)) return;
    giveBack(connection);
    connection.destroy();
    if (this.waiting.size > 0) this.startWaiting(performance.now());
    this.forgetIfEmpty();
  }

  /** Moves a call from a connection that has turned out dead to a new one, which idle ones may be too. */
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
    this.forgetIfEmpty();
  }

  /** Ends the calls that run or wait. */
  stopCalls(): void {
    for (const call of this.waiting.all()) call.stop();
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

  /** Whether a call may have a connection now; an idle one is used before a new one is opened. */
  private hasRoomFor(holder: string): boolean {
    if (this.idle.length === 0 && this.connections.size >= this.limits.connectionsMax) return false;
    return this.shareOf(holder)?.fits(1) !== false;
  }

  /** Null: calls without a holder count against the whole alone. */
  private shareOf(holder: string): Share | null {
    return holder === '' ? null : this.inUse.of(holder, holder);
  }

  private start(call: Call, connection: Connection): void {
    const share = this.shareOf(call.holder);
    share?.take(1);
    connection.share = share;
    call.startOn(connection);
  }

  /** Starts the calls that may have a connection since one came free. */
  private startWaiting(now: number): void {
    const mayStart = (holder: string): boolean => this.hasRoomFor(holder);
    for (let next = this.waiting.next(mayStart); next; next = this.waiting.next(mayStart))
      this.start(next, this.takeIdle(now) ?? this.add());
  }

  private forgetIfEmpty(): void {
    if (this.connections.size === 0 && this.waiting.size === 0) this.onEmpty(this);
  }
}

/** The call on it has ended. */
function giveBack(connection: Connection): void {
  connection.share?.give(1);
  connection.share = null;
}
