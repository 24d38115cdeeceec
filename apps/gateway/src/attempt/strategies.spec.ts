import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Coalescer } from '@gw/cache';
import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const BUFFERED_MAX = 65_536;
const WAIT_MS = 90_000;
/** Milliseconds: long for a response that is ready, short for one that never comes. */
const TIMEOUT_MS = 250;
/** Longer than any test, so an opened breaker stays open. */
const COOLDOWN_MS = 3_600_000;
const WORD = 'forbidden';

/** A kind of request: how it is sent, and how its response looks. */
interface Kind {
  readonly path: string;
  readonly isStream?: boolean;
  readonly provider?: 'openai' | 'anthropic';
  body(): { readonly type: string | null; readonly bytes: string | Buffer | FormData };
  /** The usage that the response reports. */
  readonly usage?: (tokens: number) => object;
}

const json = (more: object) => () => ({
  type: 'application/json',
  bytes: JSON.stringify({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: WORD }],
    tier: 'gold',
    ...more,
  }),
});
const openAiUsage = (tokens: number): object => ({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: 2 * tokens,
});
const TRANSCRIBER = 'gpt-4o-transcribe';
const form = (): FormData => {
  const fields = new FormData();
  fields.append('model', TRANSCRIBER);
  fields.append('tier', 'gold');
  fields.append('file', new Blob(['sound']), 'a.wav');
  return fields;
};

const KINDS: Readonly<Record<string, Kind>> = {
  chat: { path: '/chat/completions', body: json({}), usage: openAiUsage },
  messages: {
    path: '/messages',
    provider: 'anthropic',
    body: json({ model: 'claude-opus-4-8', max_tokens: 9 }),
    usage: (tokens) => ({ input_tokens: tokens, output_tokens: tokens }),
  },
  embeddings: {
    path: '/embeddings',
    body: json({ model: 'text-embedding-3-small', input: WORD }),
    usage: (tokens) => ({ prompt_tokens: tokens, total_tokens: tokens }),
  },
  stream: { path: '/chat/completions', isStream: true, body: json({ stream: true }), usage: openAiUsage },
  passthrough: { path: '/proxy/any', body: json({}), usage: openAiUsage },
  'passthrough stream': {
    path: '/proxy/any',
    isStream: true,
    body: json({ stream: true }),
    usage: openAiUsage,
  },
  upload: {
    path: '/audio/transcriptions',
    body: () => ({ type: null, bytes: form() }),
    usage: (tokens) => ({
      type: 'tokens',
      input_tokens: tokens,
      output_tokens: tokens,
      total_tokens: 2 * tokens,
    }),
  },
  'large upload': { path: '/proxy/any', body: json({ pad: 'x'.repeat(4 * BUFFERED_MAX) }) },
};

/** The table in docs/configs.md: for each strategy and kind of request, what works. */
const table = readFileSync(resolve(__dirname, '../../../../docs/configs.md'), 'utf8')
  .split('## What works where')[1]
  ?.split(/\n## /)[0]
  ?.split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|-'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  ) as string[][];
const kinds = (table[0] ?? []).slice(1);

/** Strategies that prove a clause: modes of routing, and features that apply to passthrough too. */
const MODES = /^(?:single|fallback|loadbalance|conditional)/;
const BACKGROUND = /^(?:retry|cache|input_guardrails)/;
const clauseOf = (strategy: string, kind: string): string => {
  const isPassthrough = KINDS[kind]?.path.startsWith('/proxy/') === true;
  if (MODES.test(strategy)) return isPassthrough ? '[SVC-05] [PAS-03] ' : '[SVC-05] ';
  return BACKGROUND.test(strategy) && isPassthrough ? '[SVC-06] ' : '';
};
const cells = table.slice(1).flatMap(([strategy = '', ...promises]) =>
  promises.map((promise, index) => {
    const kind = kinds[index] ?? '';
    return { strategy, kind, promise, clause: clauseOf(strategy, kind) };
  }),
);

describe('every strategy on every kind of request, as docs/configs.md states', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;
  let good: (name: string, tokens?: number) => StubResponse;
  let kind: Kind;

  beforeEach(async () => {
    // With this value back-off is shortest, no request explores, and a choice by weight takes the
    // last target.
    jest.spyOn(Math, 'random').mockReturnValue(0.9999);
    gateway = await GatewayHarness.start({ MAX_BUFFERED_BODY: String(BUFFERED_MAX) });
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([gateway.stop(), first.stop(), second.stop()]);
  });

  const both = [
    { name: 'one', provider: '@first' },
    { name: 'two', provider: '@second' },
  ] as const;
  const balanced = (algorithm: string, targets: readonly object[]): object => ({
    strategy: { mode: 'loadbalance', algorithm },
    targets,
  });

  async function ask(config: object | string, own: Kind = kind, metadata: object = { tier: 'gold' }) {
    const { type, bytes } = own.body();
    const response = await fetch(`${gateway.baseUrl}${own.path}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': typeof config === 'string' ? config : JSON.stringify(config),
        'x-gw-metadata': JSON.stringify(metadata),
        ...(type !== null && { 'content-type': type }),
        ...(own.provider === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
      },
      body: bytes as string,
    });
    return { cache: response.headers.get('x-gw-cache-status'), from: reported(await response.text()) };
  }

  /** Sends a request of the kind, and returns which target's response it got. */
  const send = async (config: object | string, own: Kind = kind): Promise<string> =>
    (await ask(config, own)).from;

  function use(name: string): void {
    kind = KINDS[name] as Kind;
    const { provider = 'openai', isStream = false, usage } = kind;
    gateway.addProvider('first', provider, first.origin);
    gateway.addProvider('second', provider, second.origin);
    good = (from, tokens = 20) => {
      const used = usage ? { model: modelOf(name), usage: usage(tokens) } : {};
      return isStream
        ? { headers: { 'content-type': 'text/event-stream' }, body: streamed(from, used) }
        : { body: { from, type: 'message', ...used } };
    };
    first.respond(good('first'));
    second.respond(good('second'));
  }

  /**
   * Expects that both targets got the same bytes. A form's boundary differs between requests of a
   * client, but not between attempts.
   */
  const sameBytes = async (): Promise<void> => {
    await first.waitForRequest(1, WAIT_MS);
    expect(second.lastRequest.body.equals(first.lastRequest.body)).toBe(true);
    expect(first.lastRequest.body.length).toBeGreaterThan(0);
  };

  /**
   * Sends one request to each target, and then one that the measurements route. By weight it would
   * go to the second target.
   */
  async function measured(algorithm: string): Promise<string> {
    for (const target of both) await send(balanced(algorithm, [target]));
    return send(balanced(algorithm, both));
  }
  const chosen = (promise: string): string => (promise === 'yes' ? 'first' : 'second');

  const CASES: Readonly<Record<string, (promise: string) => Promise<void>>> = {
    single: async () => {
      expect(await send({ strategy: { mode: 'single' }, targets: both })).toBe('first');
      expect(second.connections).toBe(0);
    },
    fallback: async () => {
      first.respond({ status: 500, body: {} });
      expect(await send({ strategy: { mode: 'fallback' }, targets: both })).toBe('second');
      await sameBytes();
    },
    loadbalance: async () => {
      const targets = [both[0], { ...both[1], weight: 0 }];
      expect(await send({ strategy: { mode: 'loadbalance' }, targets })).toBe('first');
      expect(await send({ strategy: { mode: 'loadbalance' }, targets: both })).toBe('second');
      expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
    },
    sticky: async () => {
      const sticky = { enabled: true, hash_fields: ['metadata._user'], ttl: 2_592_000 };
      const config = { strategy: { mode: 'loadbalance', sticky }, targets: both };
      const by = async (user: number): Promise<string> =>
        (await ask(config, kind, { _user: `user ${String(user)}` })).from;
      const users = Array.from({ length: 12 }, (_, user) => user);
      const before: string[] = [];
      for (const user of users) before.push(await by(user));
      expect(new Set(before)).toEqual(new Set(['first', 'second']));
      for (const user of users) expect(await by(user)).toBe(before[user]);
    },
    least_latency: async (promise) => {
      const startedAt = performance.now();
      await send(balanced('least_latency', [both[0]]));
      const tookMs = performance.now() - startedAt;
      second.respond(() => ({ ...good('second'), after: delay(tookMs + 50) }));
      await send(balanced('least_latency', [both[1]]));
      expect(await send(balanced('least_latency', both))).toBe(chosen(promise));
    },
    highest_speed: async (promise) => {
      // Enough tokens to be fast on any machine.
      first.respond(good('first', 50_000_000));
      expect(await measured('highest_speed')).toBe(chosen(promise));
    },
    least_cost: async (promise) => {
      second.respond(good('second', 5_000));
      expect(await measured('least_cost')).toBe(chosen(promise));
    },
    least_busy: async () => {
      let open = (): void => undefined;
      const after = new Promise<void>((done) => (open = done));
      second.respond({ ...good('second'), after });
      const busy = send(balanced('least_busy', [both[1]]));
      await second.waitForRequest(1, WAIT_MS);
      expect(await send(balanced('least_busy', both))).toBe('first');
      open();
      expect(await busy).toBe('second');
    },
    conditional: async () => {
      expect(await send(when({ 'metadata.tier': 'gold' }))).toBe('second');
      expect(first.connections).toBe(0);
      expect(await send(when({ 'metadata.tier': 'silver' }))).toBe('first');
    },
    'conditional on params': async (promise) => {
      const sees = async (query: object): Promise<boolean> => (await send(when(query))) === 'second';
      expect(await sees({ 'params.tier': 'gold' })).toBe(promise === 'yes');
      expect(await sees({ 'params.model': { $exists: true } })).toBe(promise !== 'no');
      expect(await sees({ 'params.tier': 'silver' })).toBe(false);
    },
    canary: async () => {
      const canary = (percentage: number) => ({ strategy: { mode: 'canary', percentage }, targets: both });
      expect(await send(canary(100))).toBe('second');
      expect(first.connections).toBe(0);
      expect(await send(canary(0))).toBe('first');
    },
    hedge: async (promise) => {
      const config = { strategy: { mode: 'hedge', hedge_delay: 1 }, targets: both };
      if (promise === 'yes') {
        first.respond({ neverRespond: true });
        expect(await send(config)).toBe('second');
        await sameBytes();
        return;
      }
      let open = (): void => undefined;
      const after = new Promise<void>((done) => (open = done));
      first.respond({ ...good('first'), after }, { neverRespond: true });
      const upload = send(config);
      await first.waitForRequest(1, WAIT_MS);
      // A later request that is hedged shows that hedging is active, and that the upload was
      // exempt.
      expect(await send(config, KINDS['chat'])).toBe('second');
      open();
      expect([await upload, second.requests.length]).toEqual(['first', 1]);
    },
    cb_config: async () => {
      const cb_config = { consecutive_failures: 1, cooldown_interval: COOLDOWN_MS };
      const config = { strategy: { mode: 'fallback', cb_config }, targets: both };
      first.respond({ status: 500, body: {} }, good('first'));
      expect([await send(config), await send(config)]).toEqual(['second', 'second']);
      expect(first.requests).toHaveLength(1);
    },
    retry: async () => {
      first.respond({ status: 503, body: {} }, good('first'));
      expect(await send({ provider: '@first', retry: { attempts: 1 } })).toBe('first');
      const [one, other] = first.requests;
      expect(other?.body.equals(one?.body ?? Buffer.alloc(0))).toBe(true);
      expect((await gateway.records()).at(-1)?.retries).toBe(1);
    },
    request_timeout: async () => {
      first.respond({ neverRespond: true });
      const targets = [{ ...both[0], request_timeout: TIMEOUT_MS }, both[1]];
      expect(await send({ strategy: { mode: 'fallback' }, targets })).toBe('second');
      const [record] = await gateway.records();
      expect(record?.decision.attempts.map(({ end }) => end)).toEqual(['timeout', 'answered']);
    },
    cache: async (promise) => {
      const config = { provider: '@first', cache: { mode: 'simple' } };
      const responses = [await ask(config), await ask(config)];
      const statuses = promise === 'yes' ? ['MISS', 'HIT'] : ['DISABLED', 'DISABLED'];
      expect(responses).toEqual(statuses.map((cache) => ({ cache, from: 'first' })));
      expect(first.requests).toHaveLength(promise === 'yes' ? 1 : 2);
    },
    'cache with coalesce': async (promise) => {
      const joined = jest.spyOn(Coalescer.prototype, 'join');
      let open = (): void => undefined;
      const after = new Promise<void>((done) => (open = done));
      first.respond({ ...good('first'), after });
      const config = { provider: '@first', cache: { mode: 'simple', coalesce: true } };
      const requested = [send(config), send(config)];
      const calls = promise === 'yes' ? 1 : 2;
      if (promise === 'yes') {
        await eventually(() => joined.mock.calls.length === 2, { timeoutMs: WAIT_MS });
      }
      await first.waitForRequest(calls, WAIT_MS);
      open();
      expect(await Promise.all(requested)).toEqual(['first', 'first']);
      expect(first.requests).toHaveLength(calls);
    },
    input_guardrails: async (promise) => {
      if (promise === '–') return;
      const contains = { words: [WORD], operator: 'none', scope: ['all', 'messages'] };
      const denied = await send({ provider: '@first', input_guardrails: [{ deny: true, contains }] });
      expect(denied).toContain('hooks_failed');
      expect(first.connections).toBe(0);
      const other = { ...contains, words: ['nothing of it'] };
      expect(await send({ provider: '@first', input_guardrails: [{ deny: true, contains: other }] })).toBe(
        'first',
      );
    },
    on_stream_failure: async (promise) => {
      const config = { strategy: { mode: 'fallback' }, on_stream_failure: 'restart', targets: both };
      if (promise === 'yes') {
        first.respond({ headers: { 'content-type': 'text/event-stream' }, steps: [{ cut: 'end' }] });
        expect(await send(config)).toBe('second');
        await sameBytes();
        return;
      }
      expect(await send(config)).toBe('first');
      expect(second.connections).toBe(0);
    },
  };

  const when = (query: object): object => ({
    strategy: { mode: 'conditional', conditions: [{ query, then: 'two' }], default: 'one' },
    targets: both,
  });

  it('has a case for each row of the table, and a kind for each column', () => {
    expect([...new Set(cells.map(({ strategy }) => strategy))]).toEqual(Object.keys(CASES));
    expect(kinds).toEqual(Object.keys(KINDS));
    expect(cells).toHaveLength(Object.keys(CASES).length * Object.keys(KINDS).length);
  });

  it.each(cells)('$clause$strategy × $kind: $promise', async (cell) => {
    use(cell.kind);
    await CASES[cell.strategy]?.(cell.promise);
  });

  it.each(Object.keys(KINDS))('[SVC-05] supports nested strategies: %s', async (name) => {
    use(name);
    first.respond({ status: 503, body: {} });
    const inner = { strategy: { mode: 'loadbalance' }, targets: [{ ...both[0], retry: { attempts: 1 } }] };
    const outer = { strategy: { mode: 'fallback', on_status_codes: [503] }, targets: [inner, both[1]] };
    expect(await send({ strategy: { mode: 'single' }, targets: [outer] })).toBe('second');
    expect(first.requests).toHaveLength(2);
  });

  it.each(Object.keys(KINDS))(
    '[PAS-04] accepts a config as JSON, and a saved one by slug and id: %s',
    async (name) => {
      use(name);
      first.respond({ status: 500, body: {} });
      const config = { strategy: { mode: 'fallback' }, targets: both };
      gateway.addConfig('pc-saved-1', config);
      for (const named of [config, 'pc-saved-1', 'config-pc-saved-1'])
        expect(await send(named)).toBe('second');
      expect((await gateway.records()).map(({ decision }) => decision.config.slug)).toEqual([
        null,
        'pc-saved-1',
        'pc-saved-1',
      ]);
    },
  );
});

/** The model that a request of the kind names, which the response repeats. */
function modelOf(name: string): string {
  const { bytes } = (KINDS[name] as Kind).body();
  return typeof bytes === 'string' ? (JSON.parse(bytes) as { model: string }).model : TRANSCRIBER;
}

/** Two events, so that time passes between the first and the last. */
const streamed = (from: string, used: object): string =>
  `data: ${JSON.stringify({ id: from, choices: [{ index: 0, delta: { content: from } }] })}\n\n` +
  `data: ${JSON.stringify({ choices: [], ...used })}\n\ndata: [DONE]\n\n`;

const reported = (text: string): string => /"(?:from|id)":"(first|second)"/.exec(text)?.[1] ?? text;
