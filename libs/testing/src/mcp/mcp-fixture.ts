import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { bearerGate, type FixtureAuthorization } from './fixture-authorization';
import { fixtureServer } from './fixture-server';
import { FixtureSessions } from './fixture-sessions';
import type { ChangedList, FixtureState, ToolChange } from './fixture-state';

export interface McpFixtureOptions {
  /**
   * Revisions that the fixture supports: those before 2026-07-28, that one, or both at one address.
   */
  readonly era?: 'both' | 'legacy' | 'modern';
  /** Requires a bearer token. */
  readonly authorization?: FixtureAuthorization;
}

/** A request as the fixture received it. */
export interface McpFixtureRequest {
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed body; null without a body and for a body that is no JSON. */
  readonly message: unknown;
  /** Whether the fixture has its answer, and so whether the stream of a listener is open. */
  readonly isAnswered: boolean;
}

/** An MCP server on the loopback interface, for specs and for the conformance suite. */
export interface McpFixture {
  readonly url: URL;
  /** Received tools/call messages by name of the tool. Each round of a call with input counts. */
  readonly calls: ReadonlyMap<string, number>;
  /** The newest requests, at most 1,000. */
  readonly requests: readonly McpFixtureRequest[];
  /** Names of tools whose call was cancelled before it ended. Only `slow` reports it. */
  readonly cancelled: readonly string[];
  /** Ends the waits of the running calls of `slow`, which then return. */
  release(): void;
  /** Ids of open legacy sessions. */
  sessions(): readonly string[];
  /** Forgets all legacy sessions, as a restarted server does. */
  forgetSessions(): void;
  /** Changes a tool in every session and announces it. */
  changeTool(name: string, change: ToolChange): void;
  /** Adds a tool without arguments that returns its name, and announces it. */
  addTool(name: string): void;
  notifyListChanged(list: ChangedList): void;
  /** Announces an updated resource to its subscribers. */
  notifyResourceUpdated(uri: string): Promise<void>;
  close(): Promise<void>;
}

const REQUESTS_MAX = 1_000;
const PATH = '/mcp';

/** Starts the fixture on a free port of 127.0.0.1. */
export async function startMcpFixture(options: McpFixtureOptions = {}): Promise<McpFixture> {
  const { era = 'both' } = options;
  const log = new RequestLog();
  const state: FixtureState = {
    changes: new Map(),
    added: [],
    cancelled: [],
    releases: new AbortController(),
    promptChanges: 0,
    changeTool: (name, change) => {
      state.changes.set(name, { ...state.changes.get(name), ...change });
      sessions.changeTool(name, change);
      modern.notify.toolsChanged();
    },
    changePrompts: () => {
      state.promptChanges += 1;
      sessions.changePrompts();
      modern.notify.promptsChanged();
    },
    notifyListChanged: (list) => {
      sessions.notifyListChanged(list);
      modern.notify[`${list}Changed`]();
    },
  };
  const sessions = new FixtureSessions(state);
  const modern = createMcpHandler(() => fixtureServer(state).server, { legacy: 'reject' });

  const answer = async (request: Request): Promise<Response> => {
    const refusal =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins()) ??
      bearerGate(request, options.authorization);
    if (refusal !== undefined) return refusal;
    if (new URL(request.url).pathname !== PATH) return new Response(null, { status: 404 });
    const received = await log.add(request);
    const isLegacy = era === 'legacy' || (era === 'both' && (await isLegacyRequest(request)));
    const response = await (isLegacy ? sessions.fetch(request) : modern.fetch(request));
    received.isAnswered = true;
    return response;
  };
  const { port, stop } = await listen(answer);
  return {
    url: new URL(`http://127.0.0.1:${String(port)}${PATH}`),
    calls: log.calls,
    requests: log.requests,
    cancelled: state.cancelled,
    release: () => {
      state.releases.abort();
      state.releases = new AbortController();
    },
    sessions: () => sessions.ids,
    forgetSessions: () => sessions.forget(),
    changeTool: (name, change) => state.changeTool(name, change),
    addTool: (name) => {
      state.added.push(name);
      sessions.addTool(name);
      modern.notify.toolsChanged();
    },
    notifyListChanged: (list) => state.notifyListChanged(list),
    notifyResourceUpdated: async (uri) => {
      modern.notify.resourceUpdated(uri);
      await sessions.notifyResourceUpdated(uri);
    },
    close: async () => {
      await Promise.all([modern.close(), sessions.close()]);
      await stop();
    },
  };
}

class RequestLog {
  readonly calls = new Map<string, number>();
  readonly requests: McpFixtureRequest[] = [];

  async add(request: Request): Promise<{ isAnswered: boolean }> {
    const message = await bodyOf(request);
    const headers = Object.fromEntries(request.headers);
    const received = { verb: request.method, headers, message, isAnswered: false };
    if (this.requests.push(received) > REQUESTS_MAX) this.requests.shift();
    for (const each of Array.isArray(message) ? (message as unknown[]) : [message]) this.count(each);
    return received;
  }

  private count(message: unknown): void {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
    const name = params?.name;
    if (method === 'tools/call' && typeof name === 'string')
      this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
  }
}

async function bodyOf(request: Request): Promise<unknown> {
  const body = await request.clone().text();
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

async function listen(
  answer: (request: Request) => Promise<Response>,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const handle = toNodeHandler({ fetch: answer }, { maxRequestBodySize: 64 * 1024 * 1024 });
  // Longer than clients keep idle connections: a stalled process would close one as it is reused.
  const server = createServer(
    { keepAliveTimeout: 60_000 },
    (req, res) => void handle(req as NodeIncomingMessageLike, res),
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
