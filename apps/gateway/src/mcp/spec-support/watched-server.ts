import { eventually } from '@gw/testing';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as bodyOf } from 'node:stream/consumers';

/** A server with two resources, `test://a` and `test://b`, whose streams a test ends. */
export interface WatchedServer {
  readonly url: URL;
  /** URIs of all subscriptions that it received. */
  readonly subscribed: readonly string[];
  /** Number of open streams. */
  streams(): number;
  /** Announces an update on all streams. */
  update(uri: string, more?: object): void;
  /** Ends all streams and forgets all sessions, as a restart does. */
  restart(): void;
  close(): Promise<void>;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly notifications?: { resourceSubscriptions?: string[] } };
}

const PING = 'ping-1';
const CAPABILITIES = { resources: { subscribe: true } };
const RESOURCES = ['a', 'b'].map((name) => ({ uri: `test://${name}`, name }));

/**
 * `refused`: resources that it refuses to watch; `hasStream`: whether sessions have a stream;
 * `onSubscribe`: runs before it replies to a subscription, when the client has read an update on
 * its stream.
 */
export async function startWatchedServer(
  era: 'modern' | 'legacy',
  {
    refused = [] as readonly string[],
    hasStream = true,
    onSubscribe = undefined as (() => void) | undefined,
  } = {},
): Promise<WatchedServer> {
  const subscribed: string[] = [];
  const streams = new Set<ServerResponse>();
  const sessions = new Set<string>();
  let pongs = 0;

  const reply = (res: ServerResponse, message: Message, result: object, headers = {}): void => {
    res.writeHead(200, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  };
  const fail = (res: ServerResponse, { id }: Message, code: number, status: number): void => {
    res.writeHead(status, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'No.' } }));
  };
  const hold = (res: ServerResponse): void => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    streams.add(res);
    res.on('close', () => streams.delete(res));
  };

  const stream = (res: ServerResponse): void => {
    if (hasStream) hold(res);
    else res.writeHead(405).end();
  };

  /** Sends an update, and waits for the response to a ping behind it. */
  async function updateIsRead(uri: string): Promise<void> {
    await eventually(() => streams.size > 0);
    for (const each of streams) {
      each.write(event('notifications/resources/updated', { uri }));
      each.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: PING, method: 'ping' })}\n\n`);
    }
    await eventually(() => pongs > 0);
  }
  async function subscribe(res: ServerResponse, message: Message): Promise<void> {
    const uri = message.params?.uri ?? '';
    if (onSubscribe !== undefined) {
      await updateIsRead(uri);
      onSubscribe();
    }
    if (refused.includes(uri)) {
      fail(res, message, -32_602, 200);
      return;
    }
    subscribed.push(uri);
    reply(res, message, {});
  }
  function listen(res: ServerResponse, { params }: Message): void {
    hold(res);
    const uris = params?.notifications?.resourceSubscriptions ?? [];
    subscribed.push(...uris);
    if (uris.length > 0) res.write(event('notifications/subscriptions/acknowledged', {}));
  }
  const open = (res: ServerResponse, message: Message): void => {
    const opened = randomUUID();
    sessions.add(opened);
    const facts = { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: { name: 'w' } };
    reply(res, message, facts, { 'mcp-session-id': opened });
  };
  const answers: Readonly<Record<string, (res: ServerResponse, message: Message) => void | Promise<void>>> = {
    ...(era === 'legacy' ? { initialize: open } : { 'server/discover': discover }),
    'resources/list': (res, message) => reply(res, message, { resources: RESOURCES }),
    'resources/subscribe': subscribe,
    'subscriptions/listen': listen,
  };
  function discover(res: ServerResponse, message: Message): void {
    reply(res, message, { supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES });
  }
  function accept(res: ServerResponse, { id }: Message): void {
    if (id === PING) pongs += 1;
    res.writeHead(202).end();
  }
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const message = (req.method === 'POST' ? await bodyOf(req) : {}) as Message;
    const { method = '' } = message;
    const isOpening = method === 'server/discover' || method === 'initialize';
    const isUnknown = !isOpening && !sessions.has(String(req.headers['mcp-session-id']));
    if (era === 'legacy' && isUnknown) fail(res, message, -32_001, 404);
    else if (req.method === 'GET') stream(res);
    else if (!isRequest(message)) accept(res, message);
    else if (answers[method] !== undefined) await answers[method](res, message);
    else fail(res, message, -32_601, era === 'modern' ? 404 : isOpening ? 400 : 200);
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`),
    subscribed,
    streams: () => streams.size,
    update: (uri, more = {}) => {
      for (const each of streams) each.write(event('notifications/resources/updated', { uri, ...more }));
    },
    restart: () => {
      sessions.clear();
      for (const each of streams) each.end();
      streams.clear();
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const isRequest = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;

const event = (method: string, params: object): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;
