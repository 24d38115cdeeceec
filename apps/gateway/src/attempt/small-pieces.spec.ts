import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Subject } from '@gw/guardrails';
import type { RequestContext } from '../core/request-context';
import type { BodySink, Upstream } from '../core/upstream';
import { CollectedResponse } from '../guardrails/collected-response';
import type { GuardedRequest, GuardReports, GuardTools } from '../guardrails/guarded-request';
import { WatchedResponse } from '../guardrails/streams/watched-response';
import { Reply } from '../reply/reply';
import { WholeBodySink } from '../reply/sinks/whole-body.sink';
import { GatewayResponse } from './gateway-response';
import { awaitResponse } from './held-response';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1_048_576;
const UPSTREAM = {
  ...{ support: { via: 'native' }, saved: null, target: { validateResponse: false, apiKey: null } },
  credential: { apiKey: null, configurations: {} },
} as unknown as Upstream;
const guard = (work: () => unknown): void => void work();
const ignore = (): void => undefined;
const res = { once: ignore, cork: ignore, uncork: ignore, flushHeaders: ignore, getHeader: ignore };
const CONTEXT = {
  res: { ...res, writeHead: ignore, write: () => true },
  guard,
  ...{ route: { address: null }, reply: { sent: ignore }, idempotency: null, clientGone: false },
} as unknown as RequestContext;

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function jsonResponse(): GatewayResponse {
  const response = new GatewayResponse(UPSTREAM, { responded: () => undefined }, CONTEXT);
  response.onHeaders(200, ['content-type', 'application/json']);
  return response;
}

/** Attaches a sink and returns the body once the response has ended. */
type Attach = (response: GatewayResponse) => { readonly body: () => Buffer };

const attached =
  (sinkOf: (response: GatewayResponse, done: (body: unknown) => void) => BodySink): Attach =>
  (response) => {
    let whole: unknown;
    response.attach(sinkOf(response, (body) => (whole = body)));
    return { body: () => whole as Buffer };
  };

const held: Attach = (response) => {
  const pieces: Buffer[] = [];
  const data = (piece: Buffer): void => void pieces.push(piece);
  awaitResponse(response, CONTEXT, false, {
    decidable: () => response.attach({ data, end: () => undefined, fail: () => undefined }),
    failed: () => undefined,
  });
  return { body: () => Buffer.concat(pieces) };
};

/** Passes the pieces on as they arrive. */
function sent(response: GatewayResponse, reply: Reply): void {
  reply.start(200, []);
  reply.flushHead();
  response.attach({ data: (piece) => reply.write(piece), end: ignore, fail: ignore });
}

const logged: Attach = (response) => {
  const reply = new Reply(CONTEXT, ignore, null, 2 * MIB);
  sent(response, reply);
  return { body: () => reply.keptBody() };
};

const watched: Attach = (response) => {
  let judge: () => unknown = ignore;
  let text = '';
  const runBeside = (_guardrails: unknown, { body }: Subject): void => {
    ({ text } = body as { readonly text: string });
  };
  const guarding = { judgeAtEnd: (atEnd: typeof judge) => (judge = atEnd) } as unknown as GuardReports;
  const tools = { runner: { runBeside } } as unknown as GuardTools;
  const guarded = { facts: { dialect: 'json' }, request: null, output: [] } as unknown as GuardedRequest;
  sent(response, new WatchedResponse(guarding, tools, guarded).reply(CONTEXT, ignore, null, 0));
  return {
    body: () => {
      judge();
      return Buffer.from(text);
    },
  };
};

describe('a response that arrives byte by byte takes little more memory than its bytes', () => {
  it.each<[string, Attach]>([
    ['while it is held until it is complete', held],
    ['for a translation', attached((response, done) => new WholeBodySink(response, 2 * MIB, done))],
    ['for the log', logged],
    ['for guardrails that judge it after it was sent', watched],
    ['for guardrails', attached((response, done) => new CollectedResponse(response, done))],
  ])('%s', (_reason, attach) => {
    const response = jsonResponse();
    const { body } = attach(response);
    const before = heldBytes();
    for (let at = 0; at < MIB; at += 1) response.onData(Buffer.from('a'));
    expect(heldBytes() - before).toBeLessThan(16 * MIB);
    response.onEnd();
    expect(body().equals(Buffer.alloc(MIB, 'a'))).toBe(true);
  });
});
