import { connect } from 'node:net';
import { eventually, readCases } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { bodyBytes, RawUpstream, type UpstreamStep } from '../spec-support/raw-upstream';

interface UpstreamCase {
  readonly id: string;
  readonly category: string;
  readonly upstream: readonly UpstreamStep[];
  readonly expect: {
    readonly client?: string;
    readonly log?: string;
    readonly usage?: string | { readonly total_tokens: number };
    readonly upstream?: string;
    readonly upstream_requests?: string;
    readonly retry?: string;
  };
  readonly reason: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly client?: {
    readonly disconnect_after_events?: number;
    readonly disconnect_after_ms?: number;
    readonly close_after_done?: boolean;
    readonly half_close?: boolean;
  };
}

const { cases } = readCases('sse_upstream.json') as { readonly cases: readonly UpstreamCase[] };

interface Seen {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
  /** The body ended completely. */
  readonly clean: boolean;
}

/**
 * Excluded: a client that closes its sending side counts as disconnected, because on the wire it
 * looks like a full close, and its call must be cancelled at once.
 */
const HALF_CLOSE_IS_GONE = new Set(['sse-064']);

/**
 * Scripted upstreams behind a passthrough route. The client must see what the upstream sent, or a
 * visible failure.
 */
describe.each(cases.filter(({ id }) => !HALF_CLOSE_IS_GONE.has(id)))('upstream $id: $reason', (test) => {
  let gateway: GatewayHarness;
  let first: RawUpstream;
  let second: RawUpstream | null = null;

  beforeEach(async () => {
    gateway = await GatewayHarness.start(isCutByTime(test) ? { REQUEST_TIMEOUT: '1500' } : {});
    const split = test.upstream.findIndex(
      (step) => typeof step !== 'string' && step.next_target !== undefined,
    );
    first = await RawUpstream.start(split === -1 ? test.upstream : endless(test.upstream.slice(0, split)));
    gateway.addProvider('first', 'openai', first.origin);
    if (split === -1) return;
    second = await RawUpstream.start(test.upstream.slice(split + 1));
    gateway.addProvider('second', 'openai', second.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    first.stop();
    second?.stop();
    second = null;
  });

  it(`${test.expect.client ?? test.expect.upstream ?? ''}, logged as ${test.expect.log ?? 'one record'}`, async () => {
    const { client, log, usage: _usage, upstream, upstream_requests: count, retry, ...unknown } = test.expect;
    expect(unknown).toEqual({});
    const seen = await ask(gateway, configOf(test), test.client);
    checkOf(CLIENT, client)?.(test, seen);
    const record = await eventually(async () => (await gateway.records()).at(-1));
    expect(await gateway.records()).toHaveLength(1);
    checkOf(LOGGED, log)?.(test, record);
    checkUsage(test, record);
    for (const each of [upstream, count, retry]) await checkOf(REQUESTS, each)?.(first);
  });
});

/** Cases that end by the gateway's timeout; all others must not reach it. */
const isCutByTime = (test: UpstreamCase): boolean =>
  test.expect.log === 'timeout' || test.reason.includes('request timeout');

/** Adds an end to a script without one, with an empty body. */
const endless = (steps: readonly UpstreamStep[]): readonly UpstreamStep[] => [...steps, { end: 1 }];

const configOf = ({ config }: UpstreamCase): object =>
  config && 'strategy' in config
    ? { ...config, targets: [{ provider: '@first' }, { provider: '@second' }] }
    : { provider: '@first', ...config };

const sent = ({ upstream }: UpstreamCase): Buffer => {
  const from = upstream.findIndex((step) => typeof step !== 'string' && step.next_target !== undefined);
  return Buffer.concat(upstream.slice(from + 1).map(bodyBytes));
};

type Check<T> = (test: UpstreamCase, found: T) => void;

const isWhole: Check<Seen> = (test, { body, clean }) => {
  expect(body.equals(sent(test))).toBe(true);
  expect(clean).toBe(true);
};
const hasStatus =
  (wanted: number): Check<Seen> =>
  (_test, { status }) => {
    expect(status).toBe(wanted);
  };
/** For an expectation that needs no assertion in addition to those of all cases. */
const ofAllCases = (): void => undefined;

/** Expectations on the response that the client sees. */
const CLIENT: Readonly<Record<string, Check<Seen>>> = {
  bytes_identical: isWhole,
  bytes_identical_then_end: isWhole,
  bytes_identical_with_retry_after: (test, seen) => {
    isWhole(test, seen);
    expect(seen.head).toContain('retry-after: 2');
  },
  second_target_bytes: isWhole,
  empty_body: isWhole,
  aborted_not_clean_end: (_test, { clean }) => {
    expect(clean).toBe(false);
  },
  status_429_fast: hasStatus(429),
  status_502: hasStatus(502),
  status_503: hasStatus(503),
  status_504_after_request_timeout: hasStatus(504),
  status_502_or_body_by_te: (_test, { status }) => {
    expect([200, 502]).toContain(status);
  },
  last_error: hasStatus(500),
  no_crash: ofAllCases,
};

/** Expectations on the log record. Estimated usage of cut streams is tested with the ledger. */
const LOGGED: Readonly<Record<string, Check<LoggedRequest>>> = {
  success: (_test, record) => expect(record.outcome).toBe('ok'),
  success_or_incomplete_flag: (_test, record) => expect(['ok', 'interrupted']).toContain(record.outcome),
  incomplete: (_test, record) => expect(record.outcome).toBe('interrupted'),
  upstream_error: (_test, record) => expect(record.outcome === 'ok' && record.status < 400).toBe(false),
  timeout: (_test, record) => expect(record.errorType).toBe('provider_timeout'),
  upstream_429: (_test, record) => expect(record.status).toBe(429),
  parse_failed_flag: (_test, record) => expect(record).toMatchObject({ usage: null, priced: 'unpriced' }),
  parse_skipped_flag: (_test, record) => expect(record).toMatchObject({ usage: null, priced: 'unpriced' }),
  usage_rejected_flag: (_test, record) => expect(record).toMatchObject({ usage: null, priced: 'unpriced' }),
  body_truncated_flag: (_test, record) => expect(record.responseBodyTruncated).toBe(true),
  client_disconnect: (_test, record) => expect(record.outcome).toBe('client_closed'),
  one_row_with_attempts: (_test, record) => expect(record.decision.attempts.length).toBeGreaterThan(1),
  one_row_two_attempts: (_test, record) => expect(record.decision.attempts).toHaveLength(2),
  // Every case stores a record.
  stored_without_error: ofAllCases,
  any_flag: ofAllCases,
};

/** Expectations on the usage of the record, other than a number of tokens. */
const USAGE = ['received_part_is_billed', 'estimated_and_flagged'];

/** Expectations on the requests that the upstreams received. */
const REQUESTS: Readonly<Record<string, (upstream: RawUpstream) => unknown>> = {
  'aborted_within_s:1': (upstream) => eventually(() => upstream.aborted > 0),
  '<=attempts+1': ({ requests }) => {
    expect(requests).toBeLessThanOrEqual(6);
  },
  never: ({ requests }) => {
    expect(requests).toBe(1);
  },
};

/** Returns the check of an expectation; undefined for none. Throws an error for an unknown one. */
function checkOf<T>(checks: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  const check = name === undefined ? undefined : checks[name];
  if (name !== undefined && check === undefined) throw new Error(`Unknown expectation ${name}`);
  return check;
}

function checkUsage({ expect: { usage } }: UpstreamCase, record: LoggedRequest): void {
  if (typeof usage !== 'object') {
    expect([...USAGE, undefined]).toContain(usage);
    return;
  }
  const { inputTokens = 0, outputTokens = 0 } = record.usage ?? {};
  expect(inputTokens + outputTokens).toBe(usage.total_tokens);
}

function ask(gateway: GatewayHarness, config: object, client: UpstreamCase['client'] = {}): Promise<Seen> {
  const body = JSON.stringify({ model: 'm', stream: true });
  return new Promise((resolve) => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    const pieces: Buffer[] = [];
    const finish = (): void => {
      socket.destroy();
      resolve(readResponse(Buffer.concat(pieces)));
    };
    socket.on('error', finish);
    socket.on('end', finish);
    socket.on('data', (data) => {
      pieces.push(data);
      const text = client.disconnect_after_events ? Buffer.concat(pieces).toString('latin1') : '';
      if (client.disconnect_after_events && text.split('data: ').length > client.disconnect_after_events)
        finish();
      if (client.close_after_done && Buffer.concat(pieces).includes('[DONE]')) finish();
    });
    if (client.disconnect_after_ms !== undefined)
      setTimeout(finish, Math.min(client.disconnect_after_ms, 200));
    socket.write(
      `POST /v1/proxy/completions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-gw-api-key: ${gateway.apiKey}\r\n` +
        `x-gw-config: ${JSON.stringify(config)}\r\ncontent-type: application/json\r\n` +
        `content-length: ${String(body.length)}\r\n\r\n${body}`,
    );
    if (client.half_close) socket.end();
  });
}

/** Parses status, head and body of one response on a connection that then closes. */
function readResponse(bytes: Buffer): Seen {
  const at = bytes.indexOf('\r\n\r\n');
  if (at === -1) return { status: 0, head: '', body: Buffer.alloc(0), clean: false };
  const head = bytes.toString('latin1', 0, at).toLowerCase();
  const status = Number(head.slice(9, 12));
  const rest = bytes.subarray(at + 4);
  const length = /content-length: (\d+)/.exec(head);
  if (length) return { status, head, body: rest, clean: rest.length === Number(length[1]) };
  return { status, head, ...dechunked(rest) };
}

function dechunked(bytes: Buffer): { readonly body: Buffer; readonly clean: boolean } {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return { body: Buffer.concat(chunks), clean: false };
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (size === 0) return { body: Buffer.concat(chunks), clean: true };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
