import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const SEEN_MAX = 200;

/** An agent on loopback that publishes a card and has no tasks. */
export class CardServer {
  readonly seen: SeenRequest[] = [];
  readonly origin: string;
  /** The published card; `cardOf()` creates one. */
  card: unknown;
  /** Status of responses to requests for the card. */
  cardStatus = 200;
  /** The card that the agent shows to its callers; when undefined, requests for it fail. */
  extendedCard: unknown;
  /** The content at /keys; undefined for none. */
  keys: unknown;
  /** Status of responses to calls. */
  callStatus = 200;
  /** Code of the error in responses to calls. */
  callError = -32_001;

  private constructor(private readonly server: Server) {
    this.origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    this.card = this.cardOf();
    server.on('request', (request, response) => void this.respond(request, response));
  }

  static async start(): Promise<CardServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CardServer(server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Returns a card of version 0.3 with one skill, `read`. */
  cardOf(more: object = {}): Record<string, unknown> {
    return {
      name: 'Reader',
      description: 'Reads pages.',
      url: `${this.origin}/rpc`,
      version: '1.0.0',
      protocolVersion: '0.3.0',
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [skillOf('read')],
      ...more,
    };
  }

  /** Requests for the card. */
  get cardReads(): SeenRequest[] {
    return this.seen.filter(({ url }) => url.includes('/.well-known/'));
  }

  /** Returns status and body of public paths; null for another path. */
  private published(url: string): [number, unknown] | null {
    if (url.includes('/.well-known/')) return [this.cardStatus, this.card];
    if (url.startsWith('/keys')) return this.keys === undefined ? [404, {}] : [200, this.keys];
    return null;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(chunks).toString('utf8');
    this.seen.push({ method, url, headers, body });
    if (this.seen.length > SEEN_MAX) this.seen.shift();
    const send = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    const published = this.published(url);
    if (published !== null) {
      send(...published);
      return;
    }
    // The request uses the HTTP+JSON binding.
    if (url.endsWith('/v1/card') && this.extendedCard !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        typeof this.extendedCard === 'string' ? this.extendedCard : JSON.stringify(this.extendedCard),
      );
      return;
    }
    if (/Extended(Agent)?Card/.test(body) && this.extendedCard !== undefined) {
      send(200, { jsonrpc: '2.0', id: 1, result: this.extendedCard });
      return;
    }
    const error = { code: this.callError, message: 'There is no such task.' };
    send(this.callStatus, { jsonrpc: '2.0', id: 1, error });
  }
}

/** Returns a skill of a card. */
export const skillOf = (id: string, description = `Does ${id}.`): Record<string, unknown> => ({
  ...{ id, name: id, description, tags: [id] },
});
