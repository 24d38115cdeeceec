import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '@gw/testing';
import { WebSocketServer, type RawData, type ServerOptions, type WebSocket } from 'ws';

type Script = (req: IncomingMessage, socket: Socket, accept: () => void) => void;

/** One accepted connection, as the provider sees it. */
export interface Accepted {
  readonly req: IncomingMessage;
  readonly socket: WebSocket;
  readonly transport: Socket;
  readonly messages: { readonly data: Buffer; readonly isBinary: boolean }[];
  closed: { readonly code: number; readonly reason: string } | null;
}

export interface SocketProviderOptions extends ServerOptions {
  /** An option of `ws` that is missing in its types; 0 means unlimited. */
  readonly maxPendingAutoPongs?: number;
  /** Sends every message back. */
  readonly echo?: boolean;
}

/**
 * A provider on loopback that speaks WebSocket with `ws`, or responds to handshakes as configured.
 */
export class SocketProvider {
  readonly handshakes: IncomingMessage[] = [];
  readonly accepted: Accepted[] = [];
  private readonly sockets = new Set<Socket>();
  /** Additional header lines of an accepting response. */
  extraHeaders: readonly string[] = [];
  private script: Script = (_req, _socket, accept) => accept();

  private constructor(
    private readonly server: Server,
    private readonly webSockets: WebSocketServer,
    private readonly echo: boolean,
  ) {}

  static async start(options: SocketProviderOptions = {}): Promise<SocketProvider> {
    const { echo = false, ...rest } = options;
    const server = createServer((_req, res) => res.writeHead(404).end());
    const webSockets = new WebSocketServer({ ...rest, noServer: true });
    const provider = new SocketProvider(server, webSockets, echo);
    webSockets.on('headers', (lines) => void lines.push(...provider.extraHeaders));
    server.on('connection', (socket) => {
      provider.sockets.add(socket);
      socket.once('close', () => provider.sockets.delete(socket));
    });
    server.on('upgrade', (req, socket: Socket, head: Buffer) => provider.take(req, socket, head));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Number of open TCP connections. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Sets how handshakes are handled from now on; without it they are accepted. */
  respond(script: Script): void {
    this.script = script;
  }

  /** Refuses handshakes with these bytes, and ends the connection. */
  respondRaw(text: string): void {
    this.respond((_req, socket) => void socket.end(text));
  }

  /** Resolves with the newest accepted connection. */
  connection(index = 0): Promise<Accepted> {
    return eventually(() => this.accepted[index]);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(req: IncomingMessage, socket: Socket, head: Buffer): void {
    this.handshakes.push(req);
    socket.on('error', () => undefined);
    let isAccepted = false;
    this.script(req, socket, () => {
      isAccepted = true;
      this.webSockets.handleUpgrade(req, socket, head, (webSocket) => {
        const accepted: Accepted = { req, socket: webSocket, transport: socket, messages: [], closed: null };
        webSocket.on('error', () => undefined);
        webSocket.on('message', (raw: RawData, isBinary) => {
          const data = raw as Buffer;
          accepted.messages.push({ data, isBinary });
          if (this.echo) webSocket.send(data, { binary: isBinary });
        });
        webSocket.on('close', (code, reason) => {
          accepted.closed = { code, reason: reason.toString() };
        });
        this.accepted.push(accepted);
      });
    });
    // Keeps reading, or the gateway's disconnect would not be detected.
    if (!isAccepted) socket.once('end', () => socket.destroy()).resume();
  }
}
