import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogRecord } from '@gw/contracts';
import { decodeFrames, Journal, Sealer } from '@gw/telemetry';
import { eventually, StubProvider, type StubAnswer } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import type { Exchange } from '../exchange';
import { RequestsUnderWay } from './requests-under-way';
import { recoverUnderWay, UnderWayFile } from './under-way-file';

const SECOND = 1_000;
const ASKED = { model: 'gpt-4o', max_tokens: 1_000, messages: [{ role: 'user', content: 'hi' }] };
/** A thousand tokens of output at 10 USD a million, and its input: a token for three bytes, at 2.50 USD. */
const ESTIMATE = 1_000 * 1_000 + Math.ceil(JSON.stringify(ASKED).length / 3) * 250;
const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n';

describe('requests under way', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let folder: string;
  let file: UnderWayFile;
  let end: () => void;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    folder = mkdtempSync(join(tmpdir(), 'under-way-'));
    file = new UnderWayFile(gateway.plane.underWay, {
      directory: folder,
      recordOf: gateway.plane.lostRecord,
      onError: (error) => {
        throw error;
      },
    });
    const ended = new Promise<void>((resolve) => (end = resolve));
    answering({ after: ended, body: { usage: { prompt_tokens: 1, completion_tokens: 1 } } });
  });
  afterEach(async () => {
    end();
    await Promise.all([gateway.stop(), stub.stop()]);
    rmSync(folder, { recursive: true });
  });

  const answering = (answer: StubAnswer): void => stub.answer(answer);
  const path = (): string => join(folder, 'under-way.jsonl');
  const lines = (): LogRecord[] =>
    readFileSync(path(), 'utf8')
      .split('\n')
      .map((line) => JSON.parse(line) as LogRecord);
  const ask = (apiKey = gateway.apiKey, body: object = ASKED): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': apiKey, 'x-gw-provider': '@main', 'x-gw-trace-id': 'long' },
      body: JSON.stringify(body),
    });
  const inASecond = (): Promise<void> => file.write(performance.now() + SECOND);

  it('are written down once they take longer than a second, with the estimate that they are charged', async () => {
    const key = 'limitedKey000000000000000000001B';
    const usageLimit = { type: 'cost', creditLimit: 100, alertThreshold: null, status: 'active' } as const;
    const resets = { periodicReset: null, periodicResetDays: null, nextResetAt: null };
    gateway.addKey(key, { usageLimits: [{ ...usageLimit, ...resets }] });
    const asking = ask(key);
    await stub.waitForRequest();
    await file.write(performance.now());
    expect(existsSync(path())).toBe(false);
    await inASecond();
    const charge = { line: 'primary', provider: 'openai', cost: ESTIMATE, requests: 1, flags: ['estimated'] };
    expect(lines()).toMatchObject([
      {
        traceId: 'long',
        apiKeyId: 'key-limitedK',
        outcome: 'interrupted',
        errorType: 'gateway_lost',
        provider: 'openai',
        credential: 'main',
        model: 'gpt-4o',
        cost: ESTIMATE,
        priced: 'estimated',
        decision: {
          attempts: [{ target: 'config', provider: 'openai', end: 'interrupted' }],
          charges: [
            { ...charge, counters: [[expect.stringContaining('key-limitedK'), 0, expect.any(String)]] },
          ],
        },
      },
    ]);
    await file.stop();
    expect(lines()).toHaveLength(1);
    end();
    await (await asking).text();
    await file.stop();
    expect(existsSync(path())).toBe(false);
  });

  it('are charged what a stream that is cut is charged: its input, and at most a token for three bytes of what came', async () => {
    answering({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: EVENT }, { until: new Promise(() => undefined) }],
    });
    const response = await ask(gateway.apiKey, { ...ASKED, stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    await inASecond();
    const [record] = lines();
    expect(record).toMatchObject({ outcome: 'interrupted', priced: 'estimated', streamed: true });
    expect(record?.responseBytes).toBeGreaterThanOrEqual(EVENT.length);
    expect(record?.cost).toBeLessThan(ESTIMATE / 2);
    await reader?.cancel();
  });

  it('cost nothing as long as no provider was asked for them', async () => {
    const upload = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('{"model":')),
    });
    const leaving = new AbortController();
    const asking = fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' },
      body: upload,
      duplex: 'half',
      signal: leaving.signal,
    });
    await eventually(async () => {
      await inASecond();
      return existsSync(path());
    });
    expect(lines()).toMatchObject([
      { outcome: 'interrupted', provider: null, cost: null, priced: 'no_usage' },
    ]);
    leaving.abort();
    await expect(asking).rejects.toThrow();
  });

  it('become records of the next process; one that is killed before the file is gone makes them again, with the same ids', async () => {
    const asking = ask();
    await stub.waitForRequest();
    await inASecond();
    const left = readFileSync(path());
    const journal = Journal.open({ directory: folder, sealer: new Sealer([Buffer.alloc(32)]) });
    expect(recoverUnderWay(folder, journal)).toBe(1);
    expect(existsSync(path())).toBe(false);
    writeFileSync(path(), left);
    expect(recoverUnderWay(folder, journal)).toBe(1);
    expect(recoverUnderWay(folder, journal)).toBe(0);
    const batch = await journal.read(10, 1_048_576);
    const ids = decodeFrames(batch?.bytes ?? Buffer.alloc(0)).frames.map(
      ({ meta }) => (JSON.parse(meta.toString()) as LogRecord).id,
    );
    journal.close();
    end();
    await (await asking).text();
    const [record] = await gateway.records();
    expect(ids).toEqual([record?.id, record?.id]);
  });
});

describe('the list of requests under way', () => {
  const begun = (startedAt: number): Exchange =>
    ({ startedAt, before: null, after: null }) as unknown as Exchange;

  it('gives the oldest ones, and forgets those that have left, from whichever place', () => {
    const list = new RequestsUnderWay();
    const [first, second, third, fourth] = [1, 2, 3, 4].map(begun) as [
      Exchange,
      Exchange,
      Exchange,
      Exchange,
    ];
    for (const exchange of [first, second, third, fourth]) list.join(exchange);
    expect(list.olderThan(4, 10)).toEqual([first, second, third]);
    expect(list.olderThan(10, 2)).toEqual([first, second]);
    list.leave(second);
    list.leave(fourth);
    list.leave(second);
    expect(list.olderThan(10, 10)).toEqual([first, third]);
    list.leave(first);
    list.leave(third);
    expect(list.olderThan(10, 10)).toEqual([]);
    list.join(first);
    expect(list.olderThan(10, 10)).toEqual([first]);
  });
});
