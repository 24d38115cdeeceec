import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { eventually } from './eventually';

/** A received request, byte for byte. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Name, value, name, value …, as sent. */
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Whether the client disconnected before the response was complete. */
  readonly cancelled: boolean;
  /** Whether the whole response was written to the socket. */
  readonly finished: boolean;
}

/**
 * One step of a response: bytes to send, a pause, a promise to wait for, a cut connection (`reset`
 * sends RST), or silence until the client disconnects.
 */
export type StubStep =
  | { readonly chunk: string | Buffer }
  | { readonly waitMs: number }
  | { readonly until: Promise<unknown> }
  | { readonly cut: 'end' | 'reset' }
  | { readonly hang: true };

export interface StubResponse {
  /** The response starts after this promise resolves. */
  readonly after?: Promise<unknown>;
  /** Status; 200 if absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent in one write; an object is sent as JSON. */
  readonly body?: string | Buffer | object;
  /** Sent after `body`, each chunk as a separate write. */
  readonly steps?: readonly StubStep[];
  /** Whether no response is sent; the request ends when the client disconnects. */
  readonly neverRespond?: boolean;
  /** Bytes that are sent instead of an HTTP response; then the connection is closed. */
  readonly raw?: string | Buffer;
}

type Script = StubResponse | ((request: RecordedRequest) => StubResponse);

interface MutableRequest extends RecordedRequest {
  cancelled: boolean;
  finished: boolean;
}

/**
 * A scripted provider on loopback: responses are used in order, and the last one for all further
 * requests.
 */
export class StubProvider {
  /** Received requests, oldest first. */
  readonly requests: RecordedRequest[] = [];
  /** Number of accepted TCP connections; 0 proves that nothing was sent. */
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private scripts: Script[] = [{ status: 404, body: { error: { message: 'The stub has no answer.' } } }];

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    server.on('request', (req, res) => {
      this.serve(req, res).catch(() => res.destroy());
    });
  }

  /** Listens on 127.0.0.1, by default on a free port. */
  static async start(port = 0): Promise<StubProvider> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const stub = new StubProvider(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return stub;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:<port>` */
  get origin(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** Replaces the script. */
  respond(...scripts: readonly [Script, ...Script[]]): void {
    this.scripts = [...scripts];
  }

  /** Responds with this JSON from now on. */
  respondJson(body: object, status = 200): void {
    this.respond({ status, body });
  }

  /** Responds with server-sent events: one `data:` line for each, as a separate write. */
  respondEvents(events: readonly (string | object)[]): void {
    const steps = events.map((event) => ({
      chunk: `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
    }));
    this.respond({ headers: { 'content-type': 'text/event-stream' }, steps });
  }

  /** The newest request. Throws when there was none. */
  get lastRequest(): RecordedRequest {
    const request = this.requests.at(-1);
    if (!request) throw new Error('The stub received no request.');
    return request;
  }

  /** Waits until `count` requests have arrived, and returns the last of them. */
  waitForRequest(count = 1, timeoutMs = 60_000): Promise<RecordedRequest> {
    return eventually(() => this.requests[count - 1], { timeoutMs });
  }

  /** Cuts every connection and stops listening. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const request: MutableRequest = {
      method: req.method ?? '',
      url: req.url ?? '',
      rawHeaders: req.rawHeaders,
      headers: req.headers,
      body: Buffer.concat(chunks),
      cancelled: false,
      finished: false,
    };
    res.on('finish', () => {
      request.finished = true;
    });
    res.on('close', () => {
      request.cancelled = !res.writableFinished;
    });
    this.requests.push(request);
    const script = this.scripts.length > 1 ? this.scripts.shift() : this.scripts[0];
    const response = typeof script === 'function' ? script(request) : script;
    if (!response) return;
    const isWhole = await play(response, res);
    // A client may close a stream at its end mark, before the end of the response.
    if (isWhole) request.finished = true;
  }
}

/** Plays a response; returns whether every step was handed to the socket. */
async function play(response: StubResponse, res: ServerResponse): Promise<boolean> {
  if (response.after) await response.after;
  if (response.neverRespond || res.destroyed) return false;
  if (response.raw !== undefined) {
    res.socket?.end(response.raw);
    return false;
  }
  return playResponse(response, res);
}

async function playResponse(response: StubResponse, res: ServerResponse): Promise<boolean> {
  const steps = response.steps ?? [];
  const { bytes, headers } = encode(response.body);
  const isComplete = bytes !== undefined && steps.length === 0;
  res.writeHead(response.status ?? 200, {
    ...headers,
    ...(isComplete ? { 'content-length': Buffer.byteLength(bytes) } : {}),
    ...response.headers,
  });
  if (bytes !== undefined) res.write(bytes);
  else res.flushHeaders();
  let isWhole = steps.length > 0;
  for (const step of steps) {
    if (res.destroyed || 'hang' in step) return false;
    isWhole = await playStep(step, res);
  }
  res.end();
  return isWhole;
}

function encode(body: StubResponse['body']): { bytes?: string | Buffer; headers: Record<string, string> } {
  if (body === undefined) return { headers: {} };
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { bytes: body, headers: {} };
  return { bytes: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Plays one step; returns whether a chunk was handed to the socket. */
async function playStep(step: Exclude<StubStep, { hang: true }>, res: ServerResponse): Promise<boolean> {
  if ('chunk' in step) {
    const failure = await new Promise((resolve) => res.write(step.chunk, resolve));
    // Sends the chunk in a separate packet: the next chunk must not be merged into it.
    await new Promise(setImmediate);
    return failure === null || failure === undefined;
  }
  if ('waitMs' in step) {
    await delay(step.waitMs);
    // After a stall of the process, its sockets are read before the next step.
    await new Promise(setImmediate);
  } else if ('until' in step) await step.until;
  else if (step.cut === 'reset') res.socket?.resetAndDestroy();
  else res.destroy();
  return false;
}
