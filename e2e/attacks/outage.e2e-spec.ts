import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf, eventually, type StubProvider } from '@gw/testing';
import { Client } from 'pg';
import { bodyFor, sells } from '../spec-support/spending';
import { withProductOn, type NewKey } from '../spec-support/workbench';

/** Number of calls that the budget covers. */
const CALLS = 3;
/**
 * Duration in seconds of five of the intervals at which a gateway compares its counters with the
 * durable record.
 */
const ROUNDS_S = 75;

const { bench } = withProductOn('Redis');
let stub: StubProvider;

beforeAll(async () => {
  stub = await bench().stub();
  stub.respond(sells);
  await bench().provider({ slug: 'main', type: 'openai', stub });
});

/**
 * Returns the status of a call that the limits have judged: on a busy machine, a gateway that waits
 * for the counters for 500 ms may return 503 before it calls the provider.
 */
const call = (key: NewKey): Promise<number> =>
  eventually(async () => {
    const status = await callOnce(key);
    return status !== 503 && status;
  });
const callOnce = async ({ key }: NewKey): Promise<number> =>
  (await bench().chat({ 'x-gw-provider': '@main' }, { key, body: bodyFor(100) })).status;
/** Creates a key and makes one call with it, so that the gateway knows it. */
const usedKey = async (enforcement: 'standard' | 'strict'): Promise<NewKey> => {
  // A strict budget reserves more than the final cost of the call.
  const credit_limit = enforcement === 'strict' ? CALLS + 0.5 : CALLS;
  const key = await bench().newKey({ usage_limits: { credit_limit, enforcement } });
  expect(await call(key)).toBe(200);
  await eventually(async () => (await bench().allLogs(`api_key_id=${key.id}`)).length === 1);
  return key;
};
const useUp = async (key: NewKey): Promise<void> => {
  for (let sold = 1; sold < CALLS; sold += 1) expect(await call(key)).toBe(200);
  expect(await call(key)).toBe(412);
};
const expectAllRecorded = (key: NewKey): Promise<unknown> =>
  eventually(async () => (await bench().allLogs(`api_key_id=${key.id}&status=200`)).length === CALLS, {
    timeoutMs: 90_000,
    everyMs: 200,
  });

describe('exhausted budget', () => {
  it('admits no further call while its log records are late and counters are compared with the durable record', async () => {
    const keys = [await usedKey('standard'), await usedKey('strict')];
    const { DATABASE_URL } = environmentOf(bench().product.pidOf('worker') ?? 0);
    const lock = new Client({ connectionString: DATABASE_URL });
    await lock.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE');
      for (const key of keys) await useUp(key);
      const sold = stub.requests.length;
      for (let second = 0; second < ROUNDS_S; second += 1) {
        for (const key of keys) expect(await call(key)).toBe(412);
        await delay(1_000);
      }
      expect(stub.requests).toHaveLength(sold);
      await lock.query('COMMIT');
    } finally {
      await lock.end();
    }
    for (const key of keys) await expectAllRecorded(key);
    for (const key of keys) expect(await call(key)).toBe(412);
  });

  it('admits no further call during and after an outage of Postgres, and loses no record', async () => {
    const key = await usedKey('strict');
    await bench().product.stopProcess('postgres');
    await useUp(key);
    await bench().product.startStopped();
    await expectAllRecorded(key);
    expect(await call(key)).toBe(412);
  });
});

describe('killed gateway', () => {
  it('leaves a charged log record of its in-flight call, and releases its slot of a concurrency limit', async () => {
    const key = await bench().newKey({ rate_limits: [{ type: 'concurrency', value: 1 }] });
    const before = stub.requests.length;
    stub.respond({ after: new Promise(() => undefined) });
    const cut = callOnce(key).catch(() => 0);
    await eventually(() => stub.requests.length === before + 1);
    await bench().product.restart('gateway');
    expect(await cut).not.toBe(200);
    stub.respond(sells);
    // The lease of a concurrency limit lasts 90 s.
    await eventually(async () => (await callOnce(key)) === 200, { timeoutMs: 120_000, everyMs: 500 });
    const charged = async (): Promise<number> =>
      (await bench().allLogs(`api_key_id=${key.id}`)).filter(({ cost_exact }) => Number(cost_exact) > 0)
        .length;
    await eventually(async () => (await charged()) === 2, { timeoutMs: 90_000, everyMs: 200 });
  });
});
