import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

const QUIET_MS = 1_000;
/** More than the system's queue of a listener holds; new connections without end must not keep it open. */
const ACCEPT_TURNS_MAX = 4_096;

/** The response that a connection is busy with; Node's own `closeIdleConnections` reads it too. */
interface BusySocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Takes the clients of an HTTP server away without cutting a request. Announced first: from then on every response ends its
 * connection, so that pools in front send the next request elsewhere. Closed later: no new connections, and those that were quiet
 * for a second are closed. What arrives on an open connection meanwhile is answered.
 */
export class ServerDrain {
  private announced = false;
  private sweeping: NodeJS.Timeout | null = null;
  private accepted = 0;
  /** Connections of HTTP, with the bytes that had gone over them at the last sweep. */
  private readonly connections = new Map<Socket, number>();

  /** To be made before the server listens. `quietMs`: after which a connection without a response in flight is closed. */
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

  /** The connection is no longer one of HTTP: the code that upgraded it ends it. */
  release(socket: Socket): void {
    this.connections.delete(socket);
  }

  /** Responses whose heads are not written yet, and all later ones, say `connection: close`. */
  announce(): void {
    if (this.announced) return;
    this.announced = true;
    for (const socket of this.connections.keys()) {
      const response = responseOn(socket);
      if (response !== null) response.shouldKeepAlive = false;
    }
    const isLast = (_req: IncomingMessage, res: ServerResponse): void => {
      res.shouldKeepAlive = false;
    };
    this.server.prependListener('request', isLast);
    // A listener where there is none would take the answer to `Expect: 100-continue` from Node.
    if (this.server.listenerCount('checkContinue') > 0) this.server.prependListener('checkContinue', isLast);
  }

  /** Resolves when no new connections are taken. The server's `close` event follows once the last one has ended. */
  async close(): Promise<void> {
    this.announce();
    await this.takeQueued();
    // Not the close of HTTP: that would end idle connections at once, with a request on its way perhaps.
    NetServer.prototype.close.call(this.server);
    this.sweeping = setInterval(() => {
      // After the turn's look at the network: what has arrived counts.
      setImmediate(() => {
        this.sweep();
      });
    }, this.quietMs).unref();
  }

  /**
   * Connections that the system has accepted are taken first: those still in its queue would be reset. Node takes one in a turn. The
   * first turn may end without a look at the network, so two in a row without a connection say that none is left.
   */
  private async takeQueued(): Promise<void> {
    let quietTurns = 0;
    for (let turns = 0; quietTurns < 2 && turns < ACCEPT_TURNS_MAX; turns += 1) {
      const before = this.accepted;
      await turn();
      quietTurns = this.accepted === before ? quietTurns + 1 : 0;
    }
  }

  private sweep(): void {
    for (const [socket, before] of this.connections) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const isBusy = responseOn(socket) !== null;
      if (!isBusy && bytes === before) socket.destroy();
      else this.connections.set(socket, isBusy ? -1 : bytes);
    }
  }
}

const responseOn = (socket: BusySocket): ServerResponse | null => socket._httpMessage ?? null;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
