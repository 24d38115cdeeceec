import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StubProvider, type StubAnswer } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

// A busy machine may take several times as long.
jest.setTimeout(60_000);

const BUFFERED_MAX = 65_536;
const WAIT_MS = 20_000;
/** Long for an answer that is there, short for one that does not come. */
const TIMEOUT_MS = 250;

/** A kind of request: how it is sent, and how an answer tells whom it is from. */
interface Kind {
  readonly path: string;
  readonly isStream: boolean;
  body(): { readonly type: string | null; readonly bytes: string | Buffer | FormData };
}

const json = (more: object) => ({
  type: 'application/json',
  bytes: JSON.stringify({ model: 'gpt-4o', messages: [], ...more }),
});

const KINDS: Readonly<Record<string, Kind>> = {
  JSON: { path: '/chat/completions', isStream: false, body: () => json({}) },
  stream: { path: '/chat/completions', isStream: true, body: () => json({ stream: true }) },
  passthrough: { path: '/proxy/any', isStream: false, body: () => json({}) },
  'passthrough stream': { path: '/proxy/any', isStream: true, body: () => json({ stream: true }) },
  upload: { path: '/audio/transcriptions', isStream: false, body: () => ({ type: null, bytes: form() }) },
  'large upload': {
    path: '/proxy/any',
    isStream: false,
    body: () => ({ type: 'application/octet-stream', bytes: Buffer.alloc(4 * BUFFERED_MAX, 'x') }),
  },
};

function form(): FormData {
  const fields = new FormData();
  fields.append('model', 'whisper-1');
  fields.append('file', new Blob(['sound']), 'a.wav');
  return fields;
}

/** The table of the documentation: by strategy and kind, what it promises. */
const table = readFileSync(resolve(__dirname, '../../../../docs/configs.md'), 'utf8')
  .split('## What works where')[1]
  ?.split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|-'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  ) as string[][];
const kinds = (table[0] ?? []).slice(1);
const cells = table.slice(1, 10).flatMap(([strategy = '', ...promises]) =>
  promises.map((promise, index) => {
    const kind = kinds[index] ?? '';
    const isPassthrough = KINDS[kind]?.path.startsWith('/proxy/') === true;
    return { strategy, kind, promise, clause: isPassthrough ? '[SVC-06] [PAS-03]' : '[SVC-05]' };
  }),
);

describe('every strategy on every kind of request, as the documentation tells', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;
  let good: (name: string) => StubAnswer;
  let kind: Kind;

  beforeEach(async () => {
    // The shortest back-off, and no exploration.
    jest.spyOn(Math, 'random').mockReturnValue(0.9999);
    gateway = await GatewayHarness.start({ MAX_BUFFERED_BODY: String(BUFFERED_MAX) });
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([gateway.stop(), first.stop(), second.stop()]);
  });

  const both = [
    { name: 'one', provider: '@first' },
    { name: 'two', provider: '@second' },
  ];

  /** The kind's request, and from whom its answer is. */
  async function send(config: object, own: Kind = kind): Promise<string> {
    const { type, bytes } = own.body();
    const response = await fetch(`${gateway.baseUrl}${own.path}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify(config),
        'x-gw-metadata': '{"tier":"gold"}',
        ...(type !== null && { 'content-type': type }),
      },
      body: bytes as string,
    });
    return told(await response.text());
  }

  function use(name: string): void {
    kind = KINDS[name] as Kind;
    good = (from) =>
      kind.isStream
        ? { headers: { 'content-type': 'text/event-stream' }, steps: [{ chunk: streamed(from) }] }
        : { body: { from } };
    first.answer(good('first'));
    second.answer(good('second'));
  }

  /** Both got the same bytes; a form has another boundary in each request of a client, but not in each try. */
  const sameBytes = async (): Promise<void> => {
    await first.waitForRequest(1, WAIT_MS);
    expect(second.lastRequest.body.equals(first.lastRequest.body)).toBe(true);
    expect(first.lastRequest.body.length).toBeGreaterThan(0);
  };

  const CASES: Readonly<Record<string, (promise: string) => Promise<void>>> = {
    single: async () => {
      expect(await send({ strategy: { mode: 'single' }, targets: both })).toBe('first');
      expect(second.connections).toBe(0);
    },
    fallback: async () => {
      first.answer({ status: 500, body: {} });
      expect(await send({ strategy: { mode: 'fallback' }, targets: both })).toBe('second');
      await sameBytes();
    },
    loadbalance: async () => {
      const targets = [{ ...both[0], weight: 0 }, both[1]];
      expect(await send({ strategy: { mode: 'loadbalance' }, targets })).toBe('second');
      expect(first.connections).toBe(0);
    },
    conditional: async () => {
      const conditions = [{ query: { 'metadata.tier': 'gold' }, then: 'two' }];
      const config = { strategy: { mode: 'conditional', conditions, default: 'one' }, targets: both };
      expect(await send(config)).toBe('second');
      expect(first.connections).toBe(0);
    },
    canary: async () => {
      expect(await send({ strategy: { mode: 'canary', percentage: 100 }, targets: both })).toBe('second');
      expect(first.connections).toBe(0);
    },
    hedge: async (promise) => {
      const config = { strategy: { mode: 'hedge', hedge_delay: 1 }, targets: both };
      if (promise === 'yes') {
        first.answer({ neverAnswer: true });
        expect(await send(config)).toBe('second');
        await sameBytes();
        return;
      }
      let open = (): void => undefined;
      const after = new Promise<void>((done) => (open = done));
      first.answer({ ...good('first'), after }, { neverAnswer: true });
      const upload = send(config);
      await first.waitForRequest(1, WAIT_MS);
      // A later request that is hedged shows that this one would have been.
      expect(await send(config, KINDS['JSON'])).toBe('second');
      open();
      expect([await upload, second.requests.length]).toEqual(['first', 1]);
    },
    retry: async () => {
      first.answer({ status: 503, body: {} }, good('first'));
      expect(await send({ provider: '@first', retry: { attempts: 1 } })).toBe('first');
      const [one, other] = first.requests;
      expect(other?.body.equals(one?.body ?? Buffer.alloc(0))).toBe(true);
      expect((await gateway.records()).at(-1)?.retries).toBe(1);
    },
    request_timeout: async () => {
      first.answer({ neverAnswer: true });
      const targets = [{ ...both[0], request_timeout: TIMEOUT_MS }, both[1]];
      expect(await send({ strategy: { mode: 'fallback' }, targets })).toBe('second');
      const [record] = await gateway.records();
      expect(record?.decision.attempts.map(({ end }) => end)).toEqual(['timeout', 'answered']);
    },
    on_stream_failure: async (promise) => {
      const config = { strategy: { mode: 'fallback' }, on_stream_failure: 'restart', targets: both };
      if (promise === 'yes') {
        first.answer({ headers: { 'content-type': 'text/event-stream' }, steps: [{ cut: 'end' }] });
        expect(await send(config)).toBe('second');
        await sameBytes();
        return;
      }
      expect(await send(config)).toBe('first');
      expect(second.connections).toBe(0);
    },
  };

  it('has a case for each row of the table, and each kind for a column', () => {
    expect([...new Set(cells.map(({ strategy }) => strategy))]).toEqual(Object.keys(CASES));
    expect(kinds).toEqual(Object.keys(KINDS));
  });

  it.each(cells)('$clause $strategy × $kind: $promise', async (cell) => {
    use(cell.kind);
    await CASES[cell.strategy]?.(cell.promise);
  });

  it.each(Object.keys(KINDS))('[SVC-05] nested strategies, as far as they go: %s', async (name) => {
    use(name);
    first.answer({ status: 503, body: {} });
    const inner = { strategy: { mode: 'loadbalance' }, targets: [{ ...both[0], retry: { attempts: 1 } }] };
    const outer = { strategy: { mode: 'fallback', on_status_codes: [503] }, targets: [inner, both[1]] };
    expect(await send({ strategy: { mode: 'single' }, targets: [outer] })).toBe('second');
    expect(first.requests).toHaveLength(2);
  });
});

const streamed = (from: string): string =>
  `data: ${JSON.stringify({ id: from, choices: [{ index: 0, delta: { content: from } }] })}\n\ndata: [DONE]\n\n`;

const told = (text: string): string => /"(?:from|id)":"(first|second)"/.exec(text)?.[1] ?? text;
