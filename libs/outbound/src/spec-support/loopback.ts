import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createAddressPolicy } from '@gw/kernel';
import { OutboundClient, type OutboundClientOptions } from '../outbound-client';
import { OutboundError, type OutboundCall, type OutboundRequest } from '../types';

/** Waits until the condition holds. Fails with its source text after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`Not within 60 s: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface Loopback {
  readonly origin: string;
  readonly port: number;
  /** Sockets that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Number of sockets that were ever opened. */
  readonly accepted: () => number;
  close(): Promise<void>;
}

export async function listen(server: Server, protocol = 'http'): Promise<Loopback> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${protocol}://127.0.0.1:${String(port)}`,
    port,
    sockets,
    accepted: () => accepted,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const httpServer = (listener: RequestListener): Promise<Loopback> =>
  listen(createHttpServer(listener));

/**
 * Calls `answer` for each complete request head, with the socket and the number of requests so far.
 */
export function rawServer(
  response: (socket: Socket, count: number, head: string) => void,
): Promise<Loopback> {
  let count = 0;
  return listen(
    createTcpServer((socket) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        count += 1;
        const head = text.slice(0, end);
        text = '';
        response(socket, count, head);
      });
    }),
  );
}

export const trusting = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });

export const clientWith = (options: Partial<OutboundClientOptions> = {}): OutboundClient =>
  new OutboundClient({
    policy: trusting,
    maxConnectionsPerOrigin: 16,
    maxPools: 16,
    keepAliveTimeoutMs: 10_000,
    ...options,
  });

/** Longer than a test may take, so that a timeout other than the tested one never fires. */
const PATIENCE_MS = 60_000;

export const requestTo = (origin: string, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  origin,
  path: '/',
  method: 'POST',
  headers: ['content-type', 'application/json'],
  body: Buffer.from('{}'),
  poolClass: 'default',
  connectTimeoutMs: PATIENCE_MS,
  headersTimeoutMs: PATIENCE_MS,
  idleTimeoutMs: PATIENCE_MS,
  totalTimeoutMs: 0,
  ...changes,
});

export interface Outcome {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly error: OutboundError | null;
  readonly tookMs: number;
}

export interface Running extends OutboundCall {
  /** Resolves when the call has ended, successfully or not. */
  readonly outcome: Promise<Outcome>;
  readonly status: () => number;
  readonly bytes: () => number;
}

export function start(client: OutboundClient, request: OutboundRequest): Running {
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  let [status, bytes] = [0, 0];
  let headers: readonly string[] = [];
  let ends = 0;
  let call: OutboundCall | undefined;
  const outcome = new Promise<Outcome>((resolve) => {
    const end = (error: OutboundError | null): void => {
      ends += 1;
      if (ends > 1) throw new Error('ended twice');
      const body = Buffer.concat(chunks).toString('latin1');
      resolve({ status, headers, body, error, tookMs: performance.now() - startedAt });
    };
    call = client.dispatch(request, {
      onHeaders: (received, raw) => {
        if (status !== 0) throw new Error('headers twice');
        [status, headers] = [received, raw];
      },
      onData: (chunk) => {
        bytes += chunk.length;
        if (bytes < 1_000_000) chunks.push(chunk);
      },
      onEnd: () => end(null),
      onError: end,
    });
  });
  const running = call as OutboundCall;
  return {
    outcome,
    status: () => status,
    bytes: () => bytes,
    pause: () => running.pause(),
    resume: () => running.resume(),
    abort: () => running.abort(),
  };
}

export const run = (client: OutboundClient, request: OutboundRequest): Promise<Outcome> =>
  start(client, request).outcome;

/** Creates servers and clients that are closed after each test. */
export function closedAfterEach(): {
  serve: (server: Promise<Loopback>) => Promise<Loopback>;
  client: (options?: Parameters<typeof clientWith>[0]) => OutboundClient;
} {
  const servers: Loopback[] = [];
  const clients: OutboundClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return {
    serve: async (server) => {
      servers.push(await server);
      return server;
    },
    client: (options = {}) => {
      const client = clientWith(options);
      clients.push(client);
      return client;
    },
  };
}
