import { Buffer } from 'node:buffer';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { uuidv7 } from '@gw/kernel';
import { shallowScan, type JsonObject } from '@gw/providers';
import type { Route } from '../routes/route-table';
import type { Faults } from './faults';
import { Pipeline, type FailureLog, type PipelineStages } from './pipeline';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { RequestContext, type Stage } from './request-context';

/** The response to a request that the gateway itself makes. */
export interface OwnResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** Maximum bytes of a response; `send` resolves to null for a longer one. */
const BYTES_MAX = 1_048_576;
const JSON_TYPE = 'application/json';

/**
 * Makes requests on behalf of a caller, such as the completion that an MCP server requests by
 * sampling. They run through the stages of a client's request, so that limits, guardrails, prices
 * and the log apply to them. Only the stages that read the credential and the body are replaced; no
 * header or body of the caller is included.
 */
export class OwnRequests {
  private readonly pipeline: Pipeline;
  private readonly causes = new WeakMap<RequestContext, RequestContext>();

  constructor(
    stages: PipelineStages,
    failures: FailureLog,
    requestsInFlight: RequestsInFlight,
    faults: Faults,
  ) {
    const authenticate: Stage = {
      run: (context) => {
        const cause = this.causes.get(context);
        if (cause !== undefined) context.actOnBehalfOf(cause);
      },
    };
    const receive: Stage = { run: () => undefined };
    this.pipeline = new Pipeline({ ...stages, authenticate, receive }, failures, requestsInFlight, faults);
  }

  /**
   * Sends a request for the caller of `cause` and resolves to its response. Resolves to null when
   * `signal` aborts, when the response is longer than `BYTES_MAX` or breaks off, and when the body
   * is nested too deeply to be written. Never rejects.
   */
  send(
    cause: RequestContext,
    route: Route,
    body: JsonObject,
    signal: AbortSignal,
  ): Promise<OwnResponse | null> {
    const bytes = bytesOf(body);
    if (signal.aborted || bytes === null) return Promise.resolve(null);
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
      context.replaceBody(bytes, body, shallowScan(bytes));
      this.causes.set(context, cause);
      this.pipeline.run(context);
    });
  }
}

function bytesOf(body: JsonObject): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(body));
  } catch {
    return null;
  }
}

/** Collects a response in memory instead of sending it to a client. */
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
