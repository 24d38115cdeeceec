import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Connector, TlsMemory } from './connector';
import type { Call } from './call';
import { skipInterim } from './skip-interim';
import { authorityOf, type Target } from './target';
import { OutboundError } from './types';

export interface PoolLimits {
  /** Open connections of one pool. */
  readonly connectionsMax: number;
  /** Calls that wait for a connection of one pool; further ones fail at once. */
  readonly waitingMax: number;
  readonly keepAliveTimeoutMs: number;
  readonly responseHeadersMaxBytes: number;
}

const noop = (): void => undefined;

/** At most one socket with at most one call on it. undici speaks HTTP over it; the socket is opened by the connector. */
export class Connection {
  socket: Socket | null = null;
  /** Calls begun on the present socket. */
  uses = 0;
  /** The call on it; null while it is idle. */
  call: Call | null = null;
  /** A request has gone out and no byte of its answer has reached undici. */
  awaitsAnswer = false;
  readonly client: Client;
  private opening: AbortController | null = null;

  constructor(readonly pool: ConnectionPool) {
    const { connector, target, memory, limits } = pool;
    this.client = new Client(target.origin, {
      connect: (_options, callback) => {
        const opening = new AbortController();
        this.opening = opening;
        connector.open(target, memory, opening.signal).then(
          (socket) => {
            this.opening = null;
            this.socket = socket;
            this.uses = 0;
            skipInterim(socket, () => this.awaitsAnswer);
            // Before undici's own listener, which is added later.
            socket.once('end', () => this.call?.onPeerEnd());
            callback(null, socket);
          },
          (error: Error) => callback(error, null),
        );
      },
      pipelining: 1,
      // The timer wheel keeps all time limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      keepAliveMaxTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.responseHeadersMaxBytes,
    });
    this.client.on('disconnect', () => {
      this.socket = null;
      pool.onDisconnect(this);
    });
  }

  /** Closes the socket, or gives up opening one. */
  destroy(): void {
    this.opening?.abort(new OutboundError('aborted', 'The connection is no longer needed.'));
    this.client.destroy(null, noop);
  }
}

/** The connections to one origin that one class of calls shares. */
export class ConnectionPool {
  readonly memory: TlsMemory = {};
  /** Put before the path when a proxy takes the request in absolute form. */
  readonly pathPrefix: string;
  /** Headers for that proxy, flat. */
  readonly proxyHeaders: readonly string[];
  lastUsedAt = 0;
  private readonly connections = new Set<Connection>();
  /** Last in, first out: the connections of a burst grow old and close. */
  private readonly idle: Connection[] = [];
  private readonly waiting = new Set<Call>();

  constructor(
    readonly key: string,
    readonly target: Target,
    readonly connector: Connector,
    readonly limits: PoolLimits,
    /** Called when the last connection is gone and nothing waits. */
    private readonly onEmpty: (pool: ConnectionPool) => void,
  ) {
    const proxy = connector.absoluteFormProxy(target);
    this.pathPrefix = proxy ? target.origin : '';
    this.proxyHeaders = proxy?.authorization ? ['proxy-authorization', proxy.authorization] : [];
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

  /** Starts the call on an idle or a new connection, or lets it wait. @throws OutboundError at the cap. */
  take(call: Call): void {
    const connection = this.idle.pop();
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
      );
    }
  }

  stopWaiting(call: Call): void {
    this.waiting.delete(call);
    this.forgetIfEmpty();
  }

  /** The call on it has ended well. */
  release(connection: Connection): void {
    connection.call = null;
    const next = this.nextWaiting();
    if (next) next.startOn(connection);
    else this.idle.push(connection);
  }

  /** The call on it has failed: what the connection still carries is unknown. */
  discard(connection: Connection): void {
    connection.call = null;
    if (!this.connections.delete(connection)) return;
    connection.destroy();
    const next = this.nextWaiting();
    if (next) next.startOn(this.add());
    else this.forgetIfEmpty();
  }

  /** Moves a call from a connection that has turned out dead to a new one, which idle ones may be too. */
  replace(connection: Connection, call: Call): void {
    connection.call = null;
    this.connections.delete(connection);
    connection.destroy();
    call.startOn(this.add());
  }

  /** An idle socket has closed. With a call on it, the call learns of it from undici, or undici connects anew. */
  onDisconnect(connection: Connection): void {
    const index = this.idle.indexOf(connection);
    if (index === -1) return;
    this.idle.splice(index, 1);
    this.connections.delete(connection);
    connection.destroy();
    this.forgetIfEmpty();
  }

  /** Aborts the calls that run or wait. */
  abortCalls(): void {
    for (const call of [...this.waiting]) call.abort();
    for (const { call } of [...this.connections]) call?.abort();
  }

  /** Closes all connections. Calls must have been failed before. */
  close(): void {
    const connections = [...this.connections];
    this.connections.clear();
    this.idle.length = 0;
    for (const connection of connections) connection.destroy();
    this.onEmpty(this);
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
