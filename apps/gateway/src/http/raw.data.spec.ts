import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, StubProvider, readCases } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

interface Generated {
  readonly gen?: Readonly<Record<string, unknown>>;
  readonly wait_ms?: number;
  readonly reset?: boolean;
  readonly end?: boolean;
}
interface RawCase {
  readonly id: string;
  readonly category: string;
  readonly send: readonly (string | Generated)[];
  readonly expect: {
    readonly status: readonly (number | null)[];
    readonly requests: number | null;
    readonly close?: boolean;
    readonly body_rejected?: boolean;
  };
  readonly reason: string;
}

const { cases: all } = readCases('http_raw.json') as { cases: RawCase[] };
/**
 * Cases without bytes to send are load patterns; `bodies.spec.ts` and `streams.spec.ts` test them
 * on a smaller scale.
 */
const cases = all.filter(({ send }) => send.length > 0);
/**
 * RFC 9112 section 3 lets a recipient split the request line at any whitespace, and the parser
 * does. The line is never forwarded as received, so no two servers can read it differently.
 */
const LENIENT_BY_RFC = new Set(['raw-079']);
const GUARDED = new Set(['path_guard']);
/** All members that `expect` may have. */
const EXPECTATIONS = ['status', 'requests', 'close', 'body_rejected'];

/**
 * Every case names `/t`, a handler that accepts anything. Here that is a passthrough path of the
 * data plane with a key, so "the handler was called" means "the provider was called".
 */
describe.each(cases)('raw HTTP $id: $reason', (test) => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let admin: StubProvider;

  beforeEach(async () => {
    admin = await StubProvider.start();
    admin.respondJson({ error: { type: 'unauthenticated' } }, 401);
    gateway = await GatewayHarness.start({
      ADMIN_URL: admin.origin,
      HEADERS_TIMEOUT: '1500',
      BODY_IDLE_TIMEOUT: '1500',
    });
    stub = await StubProvider.start();
    stub.respondJson({ ok: true });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await Promise.all([stub.stop(), admin.stop()]);
  });

  it(`returns ${JSON.stringify(test.expect.status)}`, async () => {
    expect(EXPECTATIONS).toEqual(expect.arrayContaining(Object.keys(test.expect)));
    const parts = asPassthrough(test, gateway.apiKey);
    const { statuses, closed } = await send(gateway.port, parts, test.expect.close === true);
    const expected = LENIENT_BY_RFC.has(test.id) ? [200] : test.expect.status;
    expect(expected).toContain(statuses[0] ?? null);
    const { requests } = test.expect;
    if (requests !== null && !LENIENT_BY_RFC.has(test.id)) {
      await eventually(() => stub.requests.length >= requests);
      expect(stub.requests).toHaveLength(requests);
    }
    if (test.expect.body_rejected) expect(stub.requests).toHaveLength(0);
    if (test.expect.close) expect(closed).toBe(true);
    if (GUARDED.has(test.category)) expect(stub.requests).toHaveLength(0);
  });
});

/**
 * Replaces `/t` and adds a key and a provider. The other bytes stay as in the case, in the same
 * number of pieces.
 */
function asPassthrough(test: RawCase, apiKey: string): readonly (string | Generated)[] {
  if (GUARDED.has(test.category)) return test.send;
  const texts = test.send.filter((part) => typeof part === 'string');
  const isSplit = texts.length > 1 && !texts.every((text) => text.includes('HTTP/1.1'));
  if (!isSplit) return test.send.map((part) => (typeof part === 'string' ? withKey(part, apiKey) : part));
  const whole = withKey(texts.join(''), apiKey);
  const size = Math.ceil(whole.length / texts.length);
  const pieces = texts.map((_, index) => whole.slice(index * size, (index + 1) * size));
  return [...pieces, ...test.send.filter((part) => typeof part !== 'string')];
}

const withKey = (text: string, apiKey: string): string =>
  text
    .replaceAll(/(^|\n)([A-Z]+) ((?:https?:\/\/[^/ ]+)?)\/t(?=[ ?\r])/g, '$1$2 $3/v1/t')
    .replaceAll(/\r\n(?=Host:)/gi, `\r\nx-gw-api-key: ${apiKey}\r\nx-gw-provider: @main\r\n`);

interface Sent {
  readonly statuses: readonly number[];
  /** Closed by the gateway, or by the case itself. */
  readonly closed: boolean;
}

async function send(port: number, parts: readonly (string | Generated)[], closes: boolean): Promise<Sent> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  let ended = false;
  for (const event of ['close', 'end', 'error']) socket.once(event, () => (ended = true));
  socket.on('data', (data) => (text += data.toString('latin1')));
  for (const part of parts) {
    if (ended) break;
    if (typeof part === 'string') socket.write(part, 'latin1');
    else if (part.reset) socket.resetAndDestroy();
    else if (part.end) socket.end();
    else if (part.wait_ms !== undefined) await delay(Math.min(part.wait_ms, 700));
    await delay(5);
  }
  const responded = (): boolean => text.includes('\r\n\r\n');
  // The gateway's own limits on headers and bodies end the wait at the latest.
  await eventually(() => ended || (responded() && !closes));
  // A second response may follow the first one.
  if (!ended) await delay(30);
  const isClosed = ended || socket.destroyed;
  socket.destroy();
  return {
    statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1])),
    closed: isClosed,
  };
}
