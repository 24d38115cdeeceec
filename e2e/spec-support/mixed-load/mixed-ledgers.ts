import { environmentOf, eventually, type TestRedis } from '@gw/testing';
import type { Spending } from '../spending';
import type { NewKey, Workbench } from '../workbench';
import { compare, recordsOf, type Comparison } from './books';
import { CountingProvider } from './counting-provider';
import { CONFIGS, type Kind } from './kinds';
import { MixedLoad } from './mixed-load';
import { backlogOf } from './outage';

/**
 * Time in milliseconds after which a counter with excess reports of a killed gateway is corrected.
 */
const AGREEMENT = { timeoutMs: 180_000, everyMs: 500 };
/** Time in milliseconds for Postgres to replay its WAL. */
const RESTART = { timeoutMs: 300_000 };
const STEP = { timeoutMs: 3_600_000, everyMs: 50 };
const LIMITS = { cost: 50_000_000, tokens: 1_000_000_000 };

export interface LedgerTotals extends Comparison {
  /** Charges of each key: in the log, the durable record and the counter in Redis. */
  readonly balances: readonly Balance[];
}

export interface Balance {
  readonly key: string;
  readonly logged: number;
  readonly recorded: number;
  readonly counted: number;
}

interface Paying {
  readonly name: string;
  readonly key: NewKey;
  readonly type: 'cost' | 'tokens';
}

const agrees = ({ logged, recorded, counted }: Balance): boolean =>
  logged === recorded && recorded === counted;

/**
 * The product under a mixed load with all ledgers: clients, provider, log, durable record and
 * counters.
 */
export class MixedLedgers {
  private constructor(
    private readonly bench: Workbench,
    private readonly spending: Spending,
    private readonly redis: TestRedis,
    private readonly provider: CountingProvider,
    private readonly keys: readonly Paying[],
    readonly load: MixedLoad,
    private readonly databaseUrl: string,
  ) {}

  static async start(bench: Workbench, spending: Spending, redis: TestRedis): Promise<MixedLedgers> {
    const provider = await CountingProvider.start();
    await bench.provider({ slug: 'sold', type: 'openai', stub: provider });
    await bench.provider({ slug: 'failing', type: 'openai', stub: provider });
    await bench.provider({ slug: 'claude', type: 'anthropic', stub: provider });
    const configs: Record<string, string> = {};
    for (const [name, config] of Object.entries(CONFIGS)) configs[name] = await bench.config(config);
    const newKey = async (name: string, limits: object, type: Paying['type'] = 'cost'): Promise<Paying> => ({
      name,
      key: await bench.newKey({ name, usage_limits: { type, credit_limit: LIMITS[type] }, ...limits }),
      type,
    });
    const payers = await Promise.all([
      newKey('first', {}),
      newKey('second', {}),
      newKey('by tokens', {}, 'tokens'),
    ]);
    const exhausted = await newKey('exhausted', { usage_limits: { credit_limit: 1 } });
    const limited = await newKey('limited', { rate_limits: [{ type: 'requests', unit: 'rpm', value: 30 }] });
    const load = new MixedLoad({
      gateways: spending.gateways,
      payers: payers.map(({ key }) => key),
      exhausted: exhausted.key,
      limited: limited.key,
      configs: configs as Record<NonNullable<Kind['config']>, string>,
    });
    // Requested now, because the worker may be restarting later.
    const { DATABASE_URL = '' } = environmentOf(bench.product.pidOf('worker') ?? 0);
    const keys = [...payers, exhausted, limited];
    return new MixedLedgers(bench, spending, redis, provider, keys, load, DATABASE_URL);
  }

  /** The crashes; each kills one part and restarts it. */
  readonly crashes = {
    gateway: (at: number): Promise<void> => this.load.crash(at),
    worker: (): Promise<void> => this.crashOf('worker'),
    redis: async (): Promise<void> => {
      await this.redis.kill();
      await this.redis.start();
    },
    postgres: (): Promise<void> => this.crashOf('postgres'),
  };

  /** Makes at least this many calls, with one crash after the other at equal distances. */
  async survive(
    calls: number,
    crashes: readonly (() => Promise<void>)[],
    progress: (line: string) => void,
  ): Promise<void> {
    const { load } = this;
    let over = false;
    const more = (): Promise<unknown> => {
      const until = load.calls.length + calls / (crashes.length + 1);
      // An unexplained error ends the run and is shown.
      return eventually(() => load.calls.length >= until || load.errors.length > 0, STEP);
    };
    const crashing = async (): Promise<void> => {
      for (const [at, crash] of crashes.entries()) {
        await more();
        await crash();
        progress(
          `${String(at + 1)} of ${String(crashes.length)} crashes, ${String(load.calls.length)} calls`,
        );
      }
      await more();
    };
    await Promise.all([crashing().finally(() => (over = true)), load.run(() => over)]);
  }

  /** Waits until the gateways have shipped everything, and compares the ledgers. */
  async books(): Promise<LedgerTotals> {
    await eventually(async () => {
      const backlogs = await Promise.all(this.spending.gateways.map(backlogOf));
      return backlogs.every((bytes) => bytes === 0);
    }, AGREEMENT);
    // A counter lost by Redis is rebuilt when its key is used again; a refused caller only reads
    // its limits.
    for (const { key } of this.keys) await this.bench.manage('GET', '/me/limits', { key: key.key });
    let books: LedgerTotals = { rows: [], lost: [], double: [], different: [], balances: [] };
    await eventually(async () => {
      books = await this.read();
      const { lost, balances } = books;
      return lost.length === 0 && balances.every(agrees);
    }, AGREEMENT).catch(() => undefined);
    return books;
  }

  private async read(): Promise<LedgerTotals> {
    const records = await recordsOf(
      this.databaseUrl,
      this.keys.map(({ key }) => key.id),
    );
    const balances = await Promise.all(
      this.keys.map(async ({ key, name, type }) => ({
        key: `${name} (${type})`,
        logged: records
          .filter(({ keyId }) => keyId === key.id)
          .reduce((sum, record) => sum + record[type], 0),
        recorded: await this.spending.recorded(key, { type }),
        counted: await this.spending.counted(key, type),
      })),
    );
    return { ...compare(this.load.calls, this.provider.sold, records), balances };
  }

  async stop(): Promise<void> {
    this.load.close();
    await this.provider.stop();
  }

  private async crashOf(part: 'worker' | 'postgres'): Promise<void> {
    const { product } = this.bench;
    const before = await product.kill(part);
    await eventually(() => ![null, before].includes(product.pidOf(part)), RESTART).catch(() => {
      throw new Error(`The ${part} did not restart:\\n${product.printed}`);
    });
  }
}
