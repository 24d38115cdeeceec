import { EventReader } from './read-events';

/** A client with a session that sends given messages to given gateways. */
export class RawSession {
  private lastId = 0;

  private constructor(
    readonly id: string,
    private readonly apiKey: string,
  ) {}

  /** Opens a session at a gateway. */
  static async open(
    origin: string,
    apiKey: string,
    { revision = '2025-11-25', capabilities = {} }: { revision?: string; capabilities?: object } = {},
  ): Promise<RawSession> {
    const opening = new RawSession('', apiKey);
    const response = await fetch(
      `${origin}${PATH}`,
      opening.post('initialize', {
        ...{ protocolVersion: revision, capabilities, clientInfo: { name: 'raw', version: '1' } },
      }),
    );
    return new RawSession(response.headers.get('mcp-session-id') ?? '', apiKey);
  }

  /** Sends a request and returns the parsed response. */
  async request(origin: string, method: string, params: object = {}): Promise<Record<string, unknown>> {
    const response = await fetch(`${origin}${PATH}`, this.post(method, params));
    const text = await response.text();
    const json = text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '');
    return JSON.parse(json) as Record<string, unknown>;
  }

  /** Sends a request whose response is read as a stream. */
  stream(origin: string, method: string, params: object = {}): Promise<EventReader> {
    return EventReader.open(`${origin}${PATH}`, this.post(method, params));
  }

  /** Sends any body and returns the response. */
  send(origin: string, body: unknown): Promise<Response> {
    return fetch(`${origin}${PATH}`, {
      ...{ method: 'POST', headers: this.headers({ accept: 'application/json, text/event-stream' }) },
      body: JSON.stringify(body),
    });
  }

  /** Opens the stream of the session, or resumes one. */
  get(origin: string, lastEventId?: string): Promise<EventReader> {
    const resumes = lastEventId !== undefined && { 'last-event-id': lastEventId };
    const headers = this.headers({ accept: 'text/event-stream', ...resumes });
    return EventReader.open(`${origin}${PATH}`, { headers });
  }

  /** Ends the session. */
  delete(origin: string): Promise<Response> {
    return fetch(`${origin}${PATH}`, { method: 'DELETE', headers: this.headers({}) });
  }

  /** The same session id, as a caller with another key sends it. */
  as(apiKey: string): RawSession {
    return new RawSession(this.id, apiKey);
  }

  private post(method: string, params: object): RequestInit {
    this.lastId += 1;
    return {
      ...{ method: 'POST', headers: this.headers({ accept: 'application/json, text/event-stream' }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: this.lastId, method, params }),
    };
  }

  private headers(more: Record<string, string>): Record<string, string> {
    return {
      ...{ 'content-type': 'application/json', 'x-gw-api-key': this.apiKey },
      ...(this.id !== '' && { 'mcp-session-id': this.id }),
      ...more,
    };
  }
}

const PATH = '/main/tools/mcp';
