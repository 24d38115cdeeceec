import {
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { ChangedList, FixtureState, ToolChange } from './fixture-state';
import { simplePromptText } from './fixture-catalogue';
import { addedTools, fixtureServer, type FixtureServer } from './fixture-server';
import { registerTools } from './tool-kit';

interface Session extends FixtureServer {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly subscriptions: Set<string>;
}

const RETRY_MS = 500;

/** Keeps the events of one session, so that a client can resume a stream. */
class SessionEvents implements EventStore {
  private readonly events: {
    readonly id: string;
    readonly streamId: string;
    readonly message: JSONRPCMessage;
  }[] = [];

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = `${streamId}_${String(this.events.length)}`;
    this.events.push({ id, streamId, message });
    return Promise.resolve(id);
  }

  getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return Promise.resolve(this.events.find(({ id }) => id === eventId)?.streamId);
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const last = this.events.findIndex(({ id }) => id === lastEventId);
    const streamId = this.events[last]?.streamId;
    if (streamId === undefined) throw new Error('The event is unknown.');
    for (const event of this.events.slice(last + 1))
      // An event without content only names the stream.
      if (event.streamId === streamId && Object.keys(event.message).length > 0)
        await send(event.id, event.message);
    return streamId;
  }
}

/** Sessions of clients of revisions before 2026-07-28, over streamable HTTP. */
export class FixtureSessions {
  private readonly sessions = new Map<string, Session>();

  constructor(private readonly state: FixtureState) {}

  get ids(): readonly string[] {
    return [...this.sessions.keys()];
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.open() : this.sessions.get(id);
    if (session !== undefined) return session.transport.handleRequest(request);
    const error = { code: -32_001, message: 'Session not found' };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
  }

  /** Forgets all sessions, as a restarted server does. */
  forget(): void {
    this.sessions.clear();
  }

  changeTool(name: string, change: ToolChange): void {
    for (const { tools } of this.sessions.values()) tools.get(name)?.update(change);
  }

  changePrompts(): void {
    for (const { prompt } of this.sessions.values())
      prompt.update({ description: simplePromptText(this.state) });
  }

  addTool(name: string): void {
    for (const { server } of this.sessions.values()) registerTools(server, addedTools([name]), this.state);
  }

  notifyListChanged(list: ChangedList): void {
    for (const { server } of this.sessions.values())
      if (list === 'tools') server.sendToolListChanged();
      else if (list === 'prompts') server.sendPromptListChanged();
      else server.sendResourceListChanged();
  }

  async notifyResourceUpdated(uri: string): Promise<void> {
    for (const { server, subscriptions } of this.sessions.values())
      if (subscriptions.has(uri)) await server.server.sendResourceUpdated({ uri });
  }

  async close(): Promise<void> {
    await Promise.all([...this.sessions.values()].map(({ server }) => server.close()));
    this.sessions.clear();
  }

  /** Opens a session; it is stored only if its first request is a successful `initialize`. */
  private async open(): Promise<Session> {
    const subscriptions = new Set<string>();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new SessionEvents(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => void this.sessions.set(id, session),
      onsessionclosed: (id) => void this.sessions.delete(id),
    });
    const session = { ...fixtureServer(this.state), transport, subscriptions };
    const { server } = session.server;
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      subscriptions.add(params.uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscriptions.delete(params.uri);
      return {};
    });
    await session.server.connect(transport);
    return session;
  }
}
