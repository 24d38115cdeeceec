import type { ServerResponse } from 'node:http';
import { uuidv7 } from '@gw/kernel';
import { CODES, MCP_LIMITS, type JsonObject, type RpcRequest } from '@gw/mcp';
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
    options: CallReplyOptions,
  ) {
    // Each part adds two listeners to the response.
    whole.res.setMaxListeners(whole.res.getMaxListeners() + 2 * requests.length);
    this.bodies = requests.map(() => '');
    this.parts = requests.map((message, at) => {
      const context = partContext(whole, whole.res, message);
      return { message, context, reply: new PartReply(context, options, this.sink(message, at)) };
    });
  }

  /** Sends the responses once each part has ended. */
  async end(): Promise<void> {
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
}

/**
 * Creates the context of one message of a request; the message gets its own log record. Work for
 * the message ends when `res` closes.
 */
export function partContext(
  whole: RequestContext,
  res: ServerResponse,
  { id, method, params }: RpcRequest,
): RequestContext {
  const { req, url, query, route } = whole;
  const context = new RequestContext(uuidv7(), req, res, whole.method, url, query, route);
  context.becomePartOf(whole, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })));
  return context;
}
