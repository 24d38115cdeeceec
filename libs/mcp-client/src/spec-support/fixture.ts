import { createAddressPolicy, type ExactNumbers } from '@gw/kernel';
import { NO_CAPABILITIES, type JsonObject } from '@gw/mcp';
import { OutboundClient } from '@gw/outbound';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { EraVerdicts } from '../connect/era-verdicts';
import { McpUpstream, type McpUpstreamOptions } from '../upstream';
import type { UpstreamError } from '../upstream-error';
import type { CallEvent } from '../calls/call-event';

/** A request as a fixture received it. */
export interface Received {
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Received body. */
  readonly text: string;
  /** Parsed body; an empty object without one. */
  readonly message: Readonly<Record<string, unknown>>;
  /** JSON-RPC method of the message; empty for a response. */
  readonly method: string;
  /** True when the client closed the connection before the response was complete. */
  wasDropped: boolean;
}

export type Answer = (received: Received, res: ServerResponse, req: IncomingMessage) => void | Promise<void>;

export interface Fixture {
  readonly url: URL;
  readonly received: readonly Received[];
  /** JSON-RPC methods of the messages; for requests other than POST, the HTTP method. */
  readonly log: () => readonly string[];
  /** Number of sockets opened so far. */
  readonly accepted: () => number;
  close(): Promise<void>;
}

/** Starts an upstream over HTTP on loopback that records what it receives. */
export async function fixture(answer: Answer, path = '/mcp'): Promise<Fixture> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    void textOf(req).then(async (text) => {
      const message = text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
      const { method = 'GET', url = '' } = req;
      const one: Received = {
        ...{ verb: method, path: url, headers: req.headers, text, message },
        method: typeof message['method'] === 'string' ? message['method'] : '',
        wasDropped: false,
      };
      received.push(one);
      res.on('close', () => (one.wasDropped = !res.writableFinished));
      await answer(one, res, req);
    });
  });
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${String(port)}${path}`),
    received,
    log: () => received.map(({ verb, method }) => (verb === 'POST' ? method || 'response' : verb)),
    accepted: () => accepted,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export function json(
  res: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const result = (received: Received, value: unknown): unknown => ({
  jsonrpc: '2.0',
  id: received.message['id'],
  result: value,
});

export const rpcError = (received: Received, code: number, message: string, data?: unknown): unknown => ({
  jsonrpc: '2.0',
  id: received.message['id'],
  error: { code, message, data },
});

export const notification = (method: string, params: unknown): unknown => ({
  jsonrpc: '2.0',
  method,
  params,
});

/** Starts an event stream with messages and leaves it open. */
export function stream(
  res: ServerResponse,
  messages: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  res.flushHeaders();
  for (const message of messages) event(res, message);
}

export const event = (res: ServerResponse, message: unknown, id?: string): void => {
  res.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`);
};

/** Waits until the condition holds. Fails with its source text after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`Not within 60 s: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const trusting = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });

/** A busy machine may take longer than the product's 5 s, and more so while it loads modules. */
const PATIENT = { connectMs: 60_000, discoverMs: 60_000 };

/** Creates fixtures and upstreams that are closed after each test. */
export function closedAfterEach(): {
  readonly serve: (answer: Answer, path?: string) => Promise<Fixture>;
  readonly upstream: (url: URL, options?: Partial<McpUpstreamOptions>) => McpUpstream;
} {
  const fixtures: Fixture[] = [];
  const clients: OutboundClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await Promise.all(fixtures.splice(0).map((each) => each.close()));
  });
  return {
    serve: async (answer, path) => {
      const served = await fixture(answer, path);
      fixtures.push(served);
      return served;
    },
    upstream: (url, options = {}) => {
      const policy = options.policy ?? trusting;
      const client = new OutboundClient({
        ...{ policy, maxConnectionsPerOrigin: 16, maxPools: 16, keepAliveTimeoutMs: 10_000 },
      });
      clients.push(client);
      return new McpUpstream({
        ...{ client, policy, url, poolClass: 'test', headers: () => ({}) },
        ...{ capabilities: NO_CAPABILITIES, clientInfo: { name: 'tollgate', version: '1' } },
        ...{ protocol: 'auto', verdicts: new EraVerdicts(), eraKey: 'test' },
        ...options,
        timeouts: { ...PATIENT, ...options.timeouts },
      });
    },
  };
}

/** An event of a call, with the result parsed. */
export type ShownEvent =
  | Exclude<CallEvent, { readonly kind: 'result' }>
  | { readonly kind: 'result'; readonly result: JsonObject; readonly numbers: ExactNumbers | null };

/** Returns all events of a call. */
export async function eventsOf(call: AsyncIterable<CallEvent>): Promise<readonly ShownEvent[]> {
  const events: ShownEvent[] = [];
  for await (const event of call) {
    if (event.kind !== 'result') events.push(event);
    else events.push({ kind: 'result', result: event.result.value, numbers: event.result.numbers });
  }
  return events;
}

/** Returns the error with which `work` fails. */
export async function failureOf(work: Promise<unknown>): Promise<UpstreamError> {
  const value = await work.then(
    (resolved) => ({ resolved }),
    (error: unknown) => ({ error }),
  );
  if ('error' in value) return value.error as UpstreamError;
  throw new Error(`Did not fail: ${JSON.stringify(value.resolved)}`);
}
