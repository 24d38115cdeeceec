import { Buffer } from 'node:buffer';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { uuidv7 } from '@gw/kernel';
import { shallowScan, type JsonObject } from '@gw/providers';
import type { Route } from '../routes/route-table';
import { Pipeline, type FailureLog, type PipelineStages } from './pipeline';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { RequestContext, type Stage } from './request-context';

/** A response to a request of the gateway's own. */
export interface OwnResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** Bytes of a response; a longer one is dropped. */
const BYTES_MAX = 1_048_576;
const JSON_TYPE = 'application/json';

/**
 * Requests of the gateway itself on behalf of a caller, such as for an MCP server that wants a completion. They run through
 * the stages of a client's request, so that limits, guardrails, prices and the log know them; only the credential is not read
 * again, and nothing that the caller sent goes along.
 */
export class OwnRequests {
  private readonly pipeline: Pipeline;
  private readonly causes = new WeakMap<RequestContext, RequestContext>();

  constructor(stages: PipelineStages, failures: FailureLog, requestsInFlight: RequestsInFlight) {
    const authenticate: Stage = {
      run: (context) => {
        const cause = this.causes.get(context);
        if (cause !== undefined) context.onBehalfOf(cause);
      },
    };
    const receive: Stage = { run: () => undefined };
    this.pipeline = new Pipeline({ ...stages, authenticate, receive }, failures, requestsInFlight);
  }

  /** Sends a request for the caller of `cause`. Null: it was aborted, or its response is too long or broke off. Never rejects. */
  send(
    cause: RequestContext,
    route: Route,
    body: JsonObject,
    signal: AbortSignal,
  ): Promise<OwnResponse | null> {
    if (signal.aborted) return Promise.resolve(null);
    const req = new IncomingMessage(new Socket());
    const headers = { accept: JSON_TYPE, 'content-type': JSON_TYPE };
    req.headers = headers;
    req.rawHeaders = Object.entries(headers).flat();
    return new Promise((resolve) => {
      const url = `/v1${route.upstreamPath}`;
      const res = new InMemoryResponse(req, (response) => {
        signal.removeEventListener('abort', leave);
        resolve(response);
      });
      const context = new RequestContext(uuidv7(), req, res, 'POST', url, '', route);
      const leave = (): void => void res.emit('close');
      signal.addEventListener('abort', leave, { once: true });
      const bytes = Buffer.from(JSON.stringify(body));
      context.replaceBody(bytes, body, shallowScan(bytes));
      this.causes.set(context, cause);
      this.pipeline.run(context);
    });
  }
}

/** A response that stays in memory. */
class InMemoryResponse extends ServerResponse {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private isDone = false;

  constructor(
    req: IncomingMessage,
    private readonly ended: (response: OwnResponse | null) => void,
  ) {
    super(req);
    Object.defineProperty(this, 'writableFinished', { get: () => this.isDone });
    this.once('close', () => this.finish(null));
  }

  override writeHead(status: number): this {
    this.statusCode = status;
    return this;
  }

  override write(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.bytes <= BYTES_MAX) this.chunks.push(chunk);
    return true;
  }

  override end(chunk?: unknown): this {
    if (Buffer.isBuffer(chunk)) this.write(chunk);
    this.isDone = true;
    this.emit('finish');
    const body = this.bytes <= BYTES_MAX ? Buffer.concat(this.chunks) : null;
    this.finish(body === null ? null : { status: this.statusCode, body });
    this.emit('close');
    return this;
  }

  override destroy(): this {
    this.emit('close');
    return this;
  }

  private finish(response: OwnResponse | null): void {
    this.ended(response);
  }
}
