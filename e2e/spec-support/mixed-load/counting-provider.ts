import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ANTHROPIC_MESSAGE } from '../fake-anthropic';
import { responseFor, streamEvents } from '../spending';
import { KINDS, type ProviderBehaviour } from './kinds';

/** Requests and sales under one name. */
export interface Sold {
  requested: number;
  /** Number of completely sent responses with usage. */
  whole: number;
}

const ANSWERING = new Map(KINDS.map(({ name, responding = 'sells' }) => [name, responding]));
const FAILURE = JSON.stringify({ error: { message: 'The provider failed.', type: 'server_error' } });

/**
 * A provider on loopback with its own ledger: the requests and the responses it sold, by the name
 * in each call.
 */
export class CountingProvider {
  readonly sold = new Map<string, Sold>();
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    server.on('request', (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        this.respond(req, res, Buffer.concat(chunks));
      });
    });
  }

  static async start(): Promise<CountingProvider> {
    const server = createServer({ keepAliveTimeout: 120_000 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CountingProvider(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private respond(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
    const requested = JSON.parse(body.toString()) as Requested;
    const name = nameOf(requested);
    const sold = this.sold.get(name) ?? { requested: 0, whole: 0 };
    this.sold.set(name, sold);
    if (req.headers.authorization === 'Bearer sk-failing') {
      json(res, FAILURE, 503);
      return;
    }
    sold.requested += 1;
    const responding = ANSWERING.get(name.split(' ')[0] ?? '') as ProviderBehaviour;
    if (responding === 'fails' || (responding === 'fails once' && sold.requested === 1)) {
      json(res, FAILURE, 500);
      return;
    }
    if (responding === 'stalls') {
      begin(res).write(streamEvents()[0]);
      return;
    }
    res.on('finish', () => (sold.whole += 1));
    sell(req, res, requested);
  }
}

interface Requested {
  readonly model: string;
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly input?: string;
  readonly messages?: readonly { readonly content: string }[];
}

function sell(
  req: IncomingMessage,
  res: ServerResponse,
  { model, max_tokens: tokens, stream, input }: Requested,
): void {
  if (stream === true) {
    begin(res);
    const events = streamEvents(tokens);
    for (const event of events) res.write(event);
    res.end();
  } else if (input !== undefined) json(res, EMBEDDED);
  else json(res, JSON.stringify(req.url === '/v1/messages' ? ANTHROPIC_MESSAGE : responseFor(tokens, model)));
}

const nameOf = ({ input, messages }: Requested): string => input ?? messages?.at(-1)?.content ?? '';

const EMBEDDED = JSON.stringify({
  object: 'list',
  model: 'text-embedding-3-small',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
  usage: { prompt_tokens: 8, total_tokens: 8 },
});

const begin = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'content-type': 'text/event-stream' });

function json(res: ServerResponse, text: string, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}
