import type { ServerResponse } from 'node:http';
import { uuidv7, withExactNumbers, type ExactNumbers } from '@gw/kernel';
import { CODES, MCP_LIMITS, type JsonObject, type RpcRequest } from '@gw/mcp';
import type { GatewayPrincipal } from '../auth/principals';
import { RequestContext } from '../core/request-context';
import { PartOfReply } from '../reply/part-of-reply';
import type { CallReplyOptions } from '../reply/call-reply';
import { McpReply } from './mcp-reply';

/** One request of a batch, with its context and the reply that receives its response. */
export interface BatchPart {
  readonly message: RpcRequest;
  readonly context: RequestContext;
  readonly reply: PartReply;
}

/** Maximum number of requests of a batch that run at the same time. */
const CONCURRENCY = 5;
/** Maximum UTF-16 units of all responses of a batch; one upstream response may be as long. */
const LENGTH_MAX = MCP_LIMITS.upstreamBytesMax;

/**
 * The response to a batch (MCP 2025-03-26): a list of the responses in the order of the requests.
 */
export class BatchReply {
  readonly parts: readonly BatchPart[];
  private readonly bodies: string[];
  private length = 0;

  constructor(
    whole: RequestContext,
    private readonly reply: McpReply,
    requests: readonly RpcRequest[],
    numbers: ExactNumbers | null,
    options: CallReplyOptions,
  ) {
    // Each part adds two listeners to the response.
    whole.res.setMaxListeners(whole.res.getMaxListeners() + 2 * requests.length);
    this.bodies = requests.map(() => '');
    this.parts = requests.map((message, at) => {
      const context = partContext(whole, whole.res, message, { numbers });
      return { message, context, reply: new PartReply(context, options, this.sink(message, at)) };
    });
  }

  /**
   * Answers the requests, some of them at the same time, and sends the responses once each part has
   * ended. Resolves when no call is left, because one that was ended early may still run at its
   * server.
   */
  async run(answer: (part: BatchPart) => Promise<void>): Promise<void> {
    const waiting = [...this.parts];
    const answerNext = async (): Promise<void> => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await answer(part);
    };
    const work = Promise.all(Array.from({ length: CONCURRENCY }, answerNext));
    await this.end();
    await work;
  }

  private async end(): Promise<void> {
    await Promise.all(this.parts.map(({ reply }) => reply.ended));
    this.reply.end(`[${this.bodies.filter((body) => body !== '').join(',')}]`);
  }

  private sink({ id }: RpcRequest, at: number): PartSink {
    return {
      whole: this.reply,
      put: (json) => {
        const isTooLong = this.length + json.length > LENGTH_MAX;
        const body = isTooLong ? JSON.stringify({ jsonrpc: '2.0', id, error: TOO_LARGE }) : json;
        this.length += body.length;
        this.bodies[at] = body;
      },
    };
  }
}

const TOO_LARGE = {
  code: CODES.internal,
  message: 'The responses of the batch are too large together; send fewer requests.',
};

interface PartSink {
  readonly whole: McpReply;
  readonly put: (json: string) => void;
}

/**
 * The response to one request of a batch, or of a stream that several requests share. It has its
 * own log record; the shared reply sends its messages.
 */
export class PartReply extends McpReply {
  /** Resolves when the response can be sent, or when there will be none. */
  readonly ended: Promise<void>;
  private readonly part: PartOfReply;
  private isEnded = false;
  private resolve!: () => void;

  constructor(
    context: RequestContext,
    options: CallReplyOptions,
    private readonly sink: PartSink,
  ) {
    super(context, options, {});
    this.ended = new Promise((resolve) => (this.resolve = resolve));
    this.part = new PartOfReply(context, this.settle, options.keepBytes);
  }

  /** Does nothing, because clients cannot resume these responses. */
  override resumable(): void {
    return;
  }

  override streamLater(): void {
    this.sink.whole.streamLater();
  }

  override message(message: JsonObject): void {
    this.sink.whole.message(message);
  }

  override notice(message: JsonObject): void {
    this.sink.whole.notice(message);
  }

  override end(json: string | Buffer | null, status = 200): void {
    if (this.isEnded) return;
    if (this.hasEnded) {
      this.leave();
      return;
    }
    this.isEnded = true;
    const body = json === null ? '' : json.toString();
    this.part.end(status, Buffer.from(body), () => {
      this.sink.put(body);
      this.resolve();
    });
  }

  override close(): void {
    this.end('');
  }

  override leave(): void {
    super.leave();
    if (!this.isEnded) this.resolve();
  }

  /** Closes the connection that all parts share. */
  protected override cut(): void {
    this.sink.whole.abort();
    this.resolve();
  }
}

/**
 * Creates the context of one message of a request; the message gets its own log record. Work for
 * the message ends when `res` closes. `numbers` are those of the message that `JSON.stringify`
 * would change, and `principal` is its caller if it is not that of the request.
 */
export function partContext(
  whole: RequestContext,
  res: ServerResponse,
  { id, method, params }: RpcRequest,
  { numbers, principal }: { readonly numbers: ExactNumbers | null; readonly principal?: GatewayPrincipal },
): RequestContext {
  const { req, url, query, route } = whole;
  const context = new RequestContext(uuidv7(), req, res, whole.method, url, query, route);
  const json = withExactNumbers({ jsonrpc: '2.0', id, method, params }, numbers);
  context.becomePartOf(whole, Buffer.from(json), principal);
  return context;
}
