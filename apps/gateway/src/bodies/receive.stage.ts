import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers';
import { GatewayError, toGatewayError, type Shares } from '@gw/kernel';
import { MCP_LIMITS } from '@gw/mcp';
import { demandOf, formScan, shallowScan, type JsonObject, type ShallowScan } from '@gw/providers';
import { addressedScan } from './addressed-scan';
import { parseJsonObject } from './json-body';
import { isTooLarge } from './read-whole';
import { BodyReader, bodyTooLarge, type BodyReaderOptions } from './read-body';
import { LargeBodies } from './spool/large-bodies';
import type { Overload } from '../health/overload';
import type { Spool } from './spool/spool';
import type { Accounts } from '../limits/accounts';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext, Stage } from '../core/request-context';

/** Bytes above which scanning a body takes milliseconds. */
const LONG_BODY = 1_048_576;

export interface ReceiveOptions {
  readonly maxBufferedBody: number;
  readonly maxBody: number;
  readonly bodyIdleMs: number;
  /** Milliseconds for a whole body that is kept in memory. */
  readonly bodyTotalMs: number;
  /** Milliseconds for a whole body that is spooled. */
  readonly spoolTotalMs: number;
  /** Minimum rate of a client, in bytes a second. */
  readonly bodyMinRate: number;
  /** Memory for bodies, shared by workspaces. */
  readonly memory: Shares;
  readonly spool: Spool;
  readonly accounts: Pick<Accounts, 'refuseExhausted'>;
  readonly overload: Pick<Overload, 'refuse'>;
}

/**
 * Reads the body of an authenticated caller whose limits are not exhausted, so that other callers
 * cannot fill memory. Bytes count as they arrive: an announced length reserves nothing. The body is
 * not parsed: only `model` and `stream` are looked up in it.
 */
export class ReceiveStage implements Stage {
  private readonly largeBodies: LargeBodies;
  private readonly inMemory: BodyReaderOptions;
  private readonly rpc: BodyReaderOptions;

  constructor(private readonly options: ReceiveOptions) {
    this.largeBodies = new LargeBodies(options);
    this.inMemory = {
      maxBytes: options.maxBufferedBody,
      idleMs: options.bodyIdleMs,
      totalMs: options.bodyTotalMs,
      minRate: options.bodyMinRate,
    };
    this.rpc = { ...this.inMemory, maxBytes: Math.min(MCP_LIMITS.bodyBytesMax, options.maxBufferedBody) };
  }

  run(context: RequestContext): void | Promise<void> {
    const { req, route } = context;
    // Limits of MCP and A2A requests are checked for each message later.
    if (route.body !== 'rpc') this.options.accounts.refuseExhausted(context);
    const length = req.headers['content-length'];
    this.options.overload.refuse(announced(req));
    if (length === undefined && req.headers['transfer-encoding'] === undefined) return undefined;
    if (length === '0') return undefined;
    if (length !== undefined && Number(length) > this.options.maxBody)
      throw bodyTooLarge('MAX_BODY', this.options.maxBody, Number(length));
    const { workspace } = context.principal as GatewayPrincipal;
    context.memory = this.options.memory.of(workspace.id, workspace.organisationId);
    if (route.body !== 'any') refuseEncodedBody(req);
    else if (length === undefined || Number(length) > this.options.maxBufferedBody)
      return this.spool(context, length === undefined ? null : Number(length));
    return this.read(context, length === undefined ? -1 : Number(length));
  }

  private read(context: RequestContext, length: number): Promise<void> {
    const limits = context.route.body === 'rpc' ? this.rpc : this.inMemory;
    const { maxBytes } = limits;
    if (length > maxBytes) throw bodyTooLarge('MAX_BUFFERED_BODY', maxBytes, length);
    return new Promise((resolve, reject) => {
      const received = (body: Buffer): void => {
        try {
          this.scan(context, body);
        } catch (thrown) {
          reject(toGatewayError(thrown));
          return;
        }
        // Scan a long body in one turn of the event loop, parse and serialise it in another. One
        // setImmediate would run before the input of other requests; two run after it.
        if (body.length > LONG_BODY) setImmediate(() => setImmediate(resolve));
        else resolve();
      };
      const reader = new BodyReader(context.req, length, limits, context, received, reject);
      context.whenClientGone(reader);
      reader.start();
    });
  }

  private async spool(context: RequestContext, length: number | null): Promise<void> {
    const small = await this.largeBodies.receive(context, length);
    if (small !== null) this.scan(context, small);
  }

  private scan(context: RequestContext, body: Buffer): void {
    const { req } = context;
    context.body = body;
    if (context.route.body === 'rpc') return;
    // A body that starts like an object is scanned as JSON, whatever its content type, so that a
    // model cannot hide behind another type.
    if (startsObject(body) || isJson(req)) context.scan = scanOf(context, body);
    else if (context.route.kind !== 'passthrough') context.scan = formScan(body, req.headers['content-type']);
  }
}

/** Returns the length in bytes that the client announced; null when it announced none. */
function announced({ headers }: IncomingMessage): number | null {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : null;
}

/**
 * Scans a JSON body. Returns null when it is not a JSON object and the route accepts any body;
 * throws `body_invalid` on other routes.
 */
function scanOf(context: RequestContext, body: Buffer): ShallowScan | null {
  const scan = shallowScan(body);
  if (!scan.needsParse) return addressedScan(context.route, scan);
  try {
    return addressedScan(context.route, scanOfParsed(context.json(parseJsonObject)));
  } catch (error) {
    if (context.route.body === 'any' && !isTooLarge(error)) return null;
    throw error;
  }
}

function scanOfParsed(body: JsonObject): ShallowScan {
  const { model, stream } = body;
  return {
    model: typeof model === 'string' ? model : null,
    stream: typeof stream === 'boolean' ? stream : null,
    needsParse: true,
    modelSpan: null,
    output: demandOf(body),
  };
}

const OPEN_OBJECT = 0x7b;

function startsObject(body: Buffer): boolean {
  let at = 0;
  while (at < body.length && WHITE_SPACE.has(body[at] as number)) at += 1;
  return body[at] === OPEN_OBJECT;
}

/** JSON white space, and the first byte of the byte order mark, which lenient parsers skip too. */
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Throws `body_encoding_unsupported` when the body has a content encoding, because it could not be
 * read.
 */
function refuseEncodedBody(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw new GatewayError('body_encoding_unsupported', {
    param: 'content-encoding',
    message: 'This route accepts only bodies without a content encoding.',
  });
}

const isJson = (req: IncomingMessage): boolean => {
  const type = req.headers['content-type'];
  return (
    type === undefined ||
    type.startsWith('application/json') ||
    /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
  );
};
