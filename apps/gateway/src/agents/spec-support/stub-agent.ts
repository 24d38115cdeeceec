import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of a stub agent, as JSON-RPC. */
export interface StubCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly id: unknown;
  readonly headers: IncomingMessage['headers'];
}

export type StubResponder = (call: StubCall, res: ServerResponse) => void;

/** An agent whose responses a spec sets. */
export class StubAgent {
  readonly calls: StubCall[] = [];
  respond: StubResponder = (call, res) => StubAgent.result(call, res, { message: message('hello') });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubAgent> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const agent = new StubAgent(server);
    server.on('request', (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const call = {
          ...(JSON.parse(Buffer.concat(chunks).toString('utf8')) as StubCall),
          headers: req.headers,
        };
        agent.calls.push(call);
        agent.respond(call, res);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return agent;
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** The card of an agent that supports streams. */
  get card(): string {
    const capabilities = { streaming: true, pushNotifications: false };
    return JSON.stringify({
      name: 'Stub',
      capabilities,
      skills: [{ id: 'stub', name: 'stub', tags: ['stub'] }],
    });
  }

  static result({ id }: StubCall, res: ServerResponse, result: unknown): void {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  /** Begins a stream; the returned function sends an event. */
  static stream({ id }: StubCall, res: ServerResponse): (result: unknown) => void {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    return (result) => {
      res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export const message = (text: string): object => ({
  ...{ messageId: 'reply', role: 'ROLE_AGENT', parts: [{ text }] },
});

export const task = (id: string, state: string, contextId = `context-of-${id}`): object => ({
  ...{ id, contextId, status: { state } },
});
