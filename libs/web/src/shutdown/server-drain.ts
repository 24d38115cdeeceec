import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { responseOn } from '../http/response-on';

const QUIET_MS = 1_000;
/**
 * Maximum milliseconds of a short turn of the event loop. What arrives after a turn has polled is
 * not known before the next one, so connections are closed in short turns alone.
 */
const SHORT_TURN_MS = 0.2;
/** Milliseconds for which closing waits for short turns; a busy process has none. */
const SHORT_TURN_WAIT_MS = 100;
/** Milliseconds after which no more queued connections are accepted during shutdown. */
const ACCEPT_MS = 2_000;

/**
 * Drains an HTTP server without cutting requests. `announce`: every later response closes its
 * connection, so that load balancers send the next request elsewhere. `close`: no new connections
 * are accepted, and connections that were idle for a second are closed. Requests on open
 * connections are served meanwhile.
 */
export class ServerDrain {
  private announced = false;
  private readonly listeners: (() => void)[] = [];
  private sweeping: NodeJS.Timeout | null = null;
  private accepted = 0;
  /** HTTP connections with their byte counts at the last sweep. */
  private readonly connections = new Map<Socket, number>();

  /**
   * Must be created before the server listens. `quietMs`: idle time after which a connection is
   * closed.
   */
  constructor(
    private readonly server: Server,
    private readonly quietMs = QUIET_MS,
  ) {
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.connections.set(socket, -1);
      socket.once('close', () => this.connections.delete(socket));
    });
    server.once('close', () => {
      if (this.sweeping !== null) clearInterval(this.sweeping);
    });
  }

  get isAnnounced(): boolean {
    return this.announced;
  }

  /** Calls back once, when the drain is announced: streams without an end must be ended then. */
  whenAnnounced(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Stops tracking a connection that was upgraded; the code that upgraded it closes it. */
  release(socket: Socket): void {
    this.connections.delete(socket);
  }

  /** Adds `connection: close` to all responses whose heads are not written yet. */
  announce(): void {
    if (this.announced) return;
    this.announced = true;
    for (const socket of this.connections.keys()) {
      const response = responseOn(socket);
      if (response !== null) response.shouldKeepAlive = false;
    }
    const closeAfterResponse = (_req: IncomingMessage, res: ServerResponse): void => {
      res.shouldKeepAlive = false;
    };
    this.server.prependListener('request', closeAfterResponse);
    // An added listener would replace Node's own handling of `Expect: 100-continue`.
    if (this.server.listenerCount('checkContinue') > 0)
      this.server.prependListener('checkContinue', closeAfterResponse);
    for (const listener of this.listeners) listener();
  }

  /**
   * Resolves when no new connections are accepted. The server's `close` event follows after the
   * last connection.
   */
  async close(): Promise<void> {
    this.announce();
    await this.takeQueued();
    // Not the `close` of http: it would end idle connections at once, possibly with a request on
    // its way.
    NetServer.prototype.close.call(this.server);
    this.sweeping = setInterval(() => void this.sweep(), this.quietMs).unref();
  }

  /**
   * Accepts the connections in the system's queue first, because they would be reset otherwise.
   * Node accepts one per turn, so turns without a connection mean that the queue is empty.
   */
  private async takeQueued(): Promise<void> {
    const until = performance.now() + ACCEPT_MS;
    let before: number;
    do {
      before = this.accepted;
      await shortTurns();
    } while (this.accepted !== before && performance.now() < until);
  }

  /** Closes idle connections, after the poll phase of a turn, so that data that has arrived counts. */
  private async sweep(): Promise<void> {
    await shortTurns();
    for (const [socket, before] of this.connections) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const isBusy = responseOn(socket) !== null;
      if (!isBusy && bytes === before) socket.destroy();
      else this.connections.set(socket, isBusy ? -1 : bytes);
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves after two short turns in a row, because the first may end without a poll. Resolves after
 * two turns of any length when the process is busy for too long.
 */
async function shortTurns(): Promise<void> {
  const until = performance.now() + SHORT_TURN_WAIT_MS;
  for (let [short, turns] = [0, 0]; short < 2; turns += 1) {
    const begun = performance.now();
    await turn();
    const now = performance.now();
    short = now - begun < SHORT_TURN_MS ? short + 1 : 0;
    if (now > until && turns > 0) return;
  }
}
