import { setTimeout as delay } from 'node:timers/promises';
import {
  environmentOf,
  eventually,
  queryDatabase,
  type RecordedRequest,
  type StubResponse,
  type StubProvider,
  type StubStep,
} from '@gw/testing';
import { Redis } from 'ioredis';
import { FleetProcess } from './fleet';
import type { LogDetail, LogEntry } from './logs';
import type { NewKey, Workbench } from './workbench';

export const PATIENCE = { timeoutMs: 120_000, everyMs: 100 };
/** Milliseconds during which `whileCountersRespond` begins attempts; shorter than a test's timeout. */
const ATTEMPTS_MS = 180_000;
/** A thousand output tokens at 10 USD per million, in 1e-8 USD. */
export const CENT = 1_000_000;
export const TOKENS = 1_000;

/**
 * Models at the same price, one for each size of calls, because output lengths are learned per
 * model.
 */
const MODELS: Readonly<Record<number, string>> = {
  1: 'gpt-4o',
  10: 'gpt-4o-2024-11-20',
  100: 'gpt-4o-2024-08-06',
};
/** Returns a body for a call that costs this many cents. */
export const bodyFor = (cents: 1 | 10 | 100): object => ({
  model: MODELS[cents],
  max_tokens: cents * TOKENS,
  messages: [{ role: 'user', content: 'Hi' }],
});
export const BODY = bodyFor(1);
export const STREAM = { ...BODY, stream: true };

const usageOf = (tokens: number): object => ({
  prompt_tokens: 0,
  completion_tokens: tokens,
  total_tokens: tokens,
});
export const responseFor = (tokens = TOKENS, model = 'gpt-4o'): object => ({
  id: 'a',
  object: 'chat.completion',
  model,
  choices: [],
  usage: usageOf(tokens),
});

const event = (data: object | string): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const chunk = (content: string): string =>
  event({
    id: 'a',
    object: 'chat.completion.chunk',
    model: 'gpt-4o',
    choices: [{ index: 0, delta: { content } }],
  });

export const FIRST_CHUNK = { chunk: chunk('Hel') };

/** Returns the events of a complete stream. */
export const streamEvents = (tokens = TOKENS): readonly [string, ...string[]] => [
  chunk('Hel'),
  chunk('lo'),
  event({
    id: 'a',
    object: 'chat.completion.chunk',
    model: 'gpt-4o',
    choices: [],
    usage: usageOf(tokens),
  }),
  event('[DONE]'),
];

/** Returns a stream whose last events wait for `until`. */
export function streamed(until?: Promise<unknown>, tokens = TOKENS): StubResponse {
  const [first, ...rest] = streamEvents(tokens).map((text) => ({ chunk: text }));
  return {
    headers: { 'content-type': 'text/event-stream' },
    steps: [first as StubStep, ...(until === undefined ? [] : [{ until }]), ...rest],
  };
}

/** Responds with as many tokens as the call allows, in the requested form. */
export const sells = ({ body }: RecordedRequest): StubResponse => {
  const requested = JSON.parse(body.toString()) as { model: string; max_tokens?: number; stream?: boolean };
  const { model, max_tokens: tokens = TOKENS, stream = false } = requested;
  return stream ? streamed(undefined, tokens) : { body: responseFor(tokens, model) };
};

/** Like `sells`, after half a second. */
export const sellsSlowly = (request: RecordedRequest): StubResponse => ({
  ...sells(request),
  after: delay(500),
});

export interface Called {
  readonly status: number;
  readonly text: string;
}

/**
 * Gateways, keys, and the three ledgers: the clients' responses, the counters, the durable record.
 */
export class Spending {
  readonly redis: Redis;
  private next = 0;

  constructor(
    readonly bench: Workbench,
    readonly gateways: readonly FleetProcess[],
    redisUrl: string,
  ) {
    this.redis = new Redis(redisUrl, { retryStrategy: () => 100, maxRetriesPerRequest: null });
    this.redis.on('error', () => undefined);
  }

  on(at: number): FleetProcess {
    return this.gateways[at % this.gateways.length] as FleetProcess;
  }

  newKey(creditLimit: number, body: object = {}): Promise<NewKey> {
    return this.bench.newKey({ usage_limits: { credit_limit: creditLimit }, ...body });
  }

  /** Rejects if the response is incomplete. */
  async call(
    gateway: FleetProcess,
    { key }: NewKey,
    body: object = BODY,
    { headers = {}, path = '/chat/completions', signal }: CallOptions = {},
  ): Promise<Called> {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': key,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Spreads calls over all or the named gateways; returns the number of complete 200 responses. */
  async load(
    key: NewKey,
    calls: number,
    atOnce: number,
    { body = BODY, on }: { readonly body?: object; readonly on?: readonly number[] } = {},
  ): Promise<number> {
    let begun = 0;
    let accepted = 0;
    const worker = async (): Promise<void> => {
      while (begun < calls) {
        begun += 1;
        this.next += 1;
        const gateway = this.on(on === undefined ? this.next : (on[this.next % on.length] ?? 0));
        const called = await this.call(gateway, key, body).catch(() => null);
        if (called?.status === 200) accepted += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return accepted;
  }

  /**
   * Repeats an attempt until the counters have decided all its requests, and returns its result.
   * Gateways that wait for the counters for 500 ms, as on a busy machine, use shares of their own or
   * refuse, so the bounds of limits do not hold then. The last attempt counts in any case.
   */
  async whileCountersRespond<T>(attempt: () => Promise<T>): Promise<T> {
    const until = Date.now() + ATTEMPTS_MS;
    for (;;) {
      const before = await this.decidedAlone();
      expect(before).toBeGreaterThanOrEqual(0);
      const [outcome] = await Promise.allSettled([attempt()]);
      if ((await this.decidedAlone()) > before && Date.now() < until) continue;
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }
  }

  /**
   * Returns the number of requests that the gateways decided without the counters because these were
   * too slow.
   */
  private async decidedAlone(): Promise<number> {
    const figures = ['admitted_alone', 'refused.unverifiable'];
    const counts = await Promise.all(
      this.gateways.flatMap((gateway) => figures.map((name) => gateway.figure('limits', name))),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Returns the counter of a key's budget in Redis; −1 if there is none. */
  async counted({ id }: NewKey, type = 'cost'): Promise<number> {
    const name = await this.counterName(id, type);
    return name === null ? -1 : Number(await this.redis.hget(name, 'u'));
  }

  /** Returns the amount of a key's budget that processes currently hold in leases. */
  async held({ id }: NewKey, type = 'cost'): Promise<number> {
    const name = await this.counterName(id, type);
    if (name === null) return 0;
    const [fields, [seconds]] = await Promise.all([this.redis.hgetall(name), this.redis.time()]);
    const live = Object.entries(fields).filter(([field]) => field.startsWith('h:'));
    return live.reduce((sum, [, value]) => {
      const [, hold, expires] = value.split(' ').map(Number);
      return sum + (Number(expires) > Number(seconds) * 1_000 ? (hold ?? 0) : 0);
    }, 0);
  }

  /** Returns the amount that the durable record has charged to a key's budget. */
  async recorded({ id }: NewKey, { type = 'cost', since = 0 } = {}): Promise<number> {
    const { SERVICE_TOKEN = '', WORKER_URL = '' } = environmentOf(this.bench.product.pidOf('gateway') ?? 0);
    const response = await fetch(`${WORKER_URL}/internal/v1/balances`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        organisationId: this.bench.product.credentials.organisation_id,
        counters: [{ key: `api_key:${id}:${type}:budget`, since }],
      }),
    });
    const { balances } = (await response.json()) as { balances: { used: number }[] };
    return balances[0]?.used ?? -1;
  }

  /** Returns every log record of a key's successful calls. */
  async logged({ id }: NewKey): Promise<LogEntry[]> {
    return this.bench.allLogs(`api_key_id=${id}`);
  }

  /** Waits until log, durable record and counter show exactly this charge for the key. */
  async agreeOn(key: NewKey, units: number): Promise<void> {
    await eventually(async () => {
      const logs = await this.logged(key);
      const sum = logs.reduce((total, { cost_exact: cost }) => total + Number(cost ?? 0), 0);
      const said = { log: sum, recorded: await this.recorded(key), counted: await this.counted(key) };
      expect(said).toEqual({ log: units, recorded: units, counted: units });
      return true;
    }, PATIENCE);
  }

  /**
   * Returns the savings of cached responses: of a key by log and analytics, and of the organisation
   * by the durable record.
   */
  async savings({ id }: NewKey): Promise<Readonly<Record<'log' | 'analytics' | 'recorded', number>>> {
    const hits = (await this.logged({ id, key: '' })).filter((log) => log.cache_status === 'HIT');
    let log = 0;
    for (const hit of hits) {
      const { decision } = await this.bench.manage<LogDetail>('GET', `/logs/${hit.id}`);
      log += decision.cache.savedCost ?? 0;
    }
    const [from, to] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const { data_points: points } = await this.bench.manage<{
      data_points: { cumulative_simple_cache_savings: number }[];
    }>(
      'GET',
      `/analytics/graphs/cache/hit-rate?time_of_generation_min=${String(from)}&time_of_generation_max=${String(to)}&api_key_ids=${id}`,
    );
    return {
      log,
      analytics: (points.at(-1)?.cumulative_simple_cache_savings ?? 0) * CENT,
      recorded: await this.cacheSaved(),
    };
  }

  private async cacheSaved(): Promise<number> {
    const [row] = await queryDatabase<{ sum: string | null }>(
      this.bench,
      `SELECT sum(cost) FROM ledger_balances WHERE account = 'cache_saved'`,
    );
    return Number(row?.sum ?? 0);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
  }

  private async counterName(id: string, type: string): Promise<string | null> {
    return (await this.redis.keys(`gw:limit:*api_key:${id}:${type}:budget`))[0] ?? null;
  }
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly signal?: AbortSignal;
}

/**
 * Starts three gateways next to the product's own, and the provider `@main`, whose calls cost a
 * cent. Read it only in tests and hooks.
 */
export function withSpending(
  bench: () => Workbench,
  redisUrl: () => string,
  { environment = () => Promise.resolve({}) }: { environment?: () => Promise<Record<string, string>> } = {},
): { readonly spending: () => Spending; readonly stub: () => StubProvider } {
  let made: { spending: Spending; stub: StubProvider } | undefined;
  beforeAll(async () => {
    const stub = await bench().stub();
    stub.respond(sells);
    await bench().provider({ slug: 'main', type: 'openai', stub });
    const settings = await environment();
    const gateways = await Promise.all(
      ['one', 'two', 'three'].map((name) => FleetProcess.start('gateway', bench(), name, settings)),
    );
    made = { spending: new Spending(bench(), gateways, redisUrl()), stub };
  }, 300_000);
  afterAll(async () => {
    await made?.spending.stop();
  }, 300_000);
  const get = (): { spending: Spending; stub: StubProvider } => {
    if (!made) throw new Error('The gateways run from beforeAll on; use them in a test or a hook.');
    return made;
  };
  return { spending: () => get().spending, stub: () => get().stub };
}
