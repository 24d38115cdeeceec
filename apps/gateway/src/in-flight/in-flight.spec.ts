import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRecord } from '@gw/contracts';
import { decodeFrames, Journal, readSealedFile } from '@gw/journal';
import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';
import type { RequestContext } from '../core/request-context';
import { recordOfLine } from './begun-record';
import { recoverInFlight } from './recovery';
import { RequestsInFlight } from './requests-in-flight';

const SECOND = 1_000;
const REQUESTED = { model: 'gpt-4o', max_tokens: 1_000, messages: [{ role: 'user', content: 'hi' }] };
/**
 * A thousand output tokens at 10 USD per million, and the input: one token per three bytes at 2.50
 * USD per million.
 */
const ESTIMATE = 1_000 * 1_000 + Math.ceil(JSON.stringify(REQUESTED).length / 3) * 250;
const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n';

describe('in-flight requests', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let end: () => void;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    const ended = new Promise<void>((resolve) => (end = resolve));
    responding({ after: ended, body: { usage: { prompt_tokens: 1, completion_tokens: 1 } } });
  });
  afterEach(async () => {
    end();
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const responding = (response: StubResponse): void => stub.respond(response);
  const files = (): string[] => {
    const { directory } = gateway.home;
    const names = readdirSync(directory).filter((name) => name.startsWith('in-flight-'));
    return names.sort().map((name) => join(directory, name));
  };
  const lines = (): string[] =>
    files().flatMap((path) =>
      (readSealedFile(path, gateway.home.sealer) ?? [])
        .join('')
        .split('\n')
        .filter((line) => line !== ''),
    );
  /** The newest line of each request that has not ended. */
  const found = (): LogRecord[] => {
    const records = new Map<string, LogRecord>();
    for (const line of lines()) {
      if (line.startsWith('-')) records.delete(line.slice(1));
      else {
        const record = recordOfLine(line) as LogRecord;
        records.set(record.id, record);
      }
    }
    return [...records.values()];
  };
  const ask = (apiKey = gateway.apiKey, body: object = REQUESTED): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': apiKey, 'x-gw-provider': '@main', 'x-gw-trace-id': 'long' },
      body: JSON.stringify(body),
    });
  const inASecond = (): Promise<void> => gateway.plane.inFlight.tick(performance.now() + SECOND);

  it('are on disk when their provider receives them, with the estimate that they would be charged [faults D9]', async () => {
    const key = 'limitedKey000000000000000000001B';
    const usageLimit = { type: 'cost', creditLimit: 100, alertThreshold: null, status: 'active' } as const;
    const resets = { periodicReset: null, periodicResetDays: null, nextResetAt: null };
    gateway.addKey(key, { usageLimits: [{ ...usageLimit, ...resets }] });
    let known: LogRecord[] = [];
    stub.respond(() => {
      known = found();
      return { body: { usage: { prompt_tokens: 1, completion_tokens: 1 } } };
    });
    await (await ask(key)).text();
    const charge = { line: 'primary', provider: 'openai', cost: ESTIMATE, requests: 1, flags: ['estimated'] };
    expect(known).toMatchObject([
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
    const [record] = await gateway.records();
    expect(record?.id).toBe(known[0]?.id);
  });

  it('include the embeddings call that was made before their provider is called', async () => {
    const key = 'limitedKey000000000000000000002B';
    const usageLimit = { type: 'cost', creditLimit: 100, alertThreshold: null, status: 'active' } as const;
    const resets = { periodicReset: null, periodicResetDays: null, nextResetAt: null };
    gateway.addKey(key, { usageLimits: [{ ...usageLimit, ...resets }] });
    let known: LogRecord[] = [];
    stub.respond(({ url }) => {
      if (url.endsWith('/embeddings'))
        return { body: { data: [{ embedding: [1] }], usage: { prompt_tokens: 8, total_tokens: 8 } } };
      known = found();
      return { body: { usage: { prompt_tokens: 1, completion_tokens: 1 } } };
    });
    const embeddings = { provider: '@main', model: 'text-embedding-3-small' };
    const config = { provider: '@main', cache: { mode: 'semantic', embeddings } };
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': key, 'x-gw-config': JSON.stringify(config) },
      body: JSON.stringify(REQUESTED),
    });
    await response.text();
    expect(known).toMatchObject([
      {
        cost: ESTIMATE + 16,
        decision: {
          charges: [
            { line: 'embedding', cost: 16, requests: 0 },
            { line: 'primary', cost: ESTIMATE },
          ],
        },
      },
    ]);
  });

  it('are all on disk when their providers receive them, also concurrent ones and those on open connections [faults D9]', async () => {
    const missing: string[] = [];
    stub.respond(({ headers }) => {
      const id = String(headers['x-request-of-test']);
      if (!found().some(({ metadata }) => metadata['n'] === id)) missing.push(id);
      return { body: { usage: { prompt_tokens: 1, completion_tokens: 1 } } };
    });
    for (let round = 0; round < 3; round += 1) {
      const requested = Array.from({ length: 20 }, (_, n) =>
        fetch(`${gateway.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: {
            'x-gw-api-key': gateway.apiKey,
            'x-gw-provider': '@main',
            'x-gw-metadata': JSON.stringify({ n: `${String(round)}-${String(n)}` }),
            'x-gw-forward-headers': 'x-request-of-test',
            'x-request-of-test': `${String(round)}-${String(n)}`,
          },
          body: JSON.stringify(REQUESTED),
        }).then((response) => response.text()),
      );
      await Promise.all(requested);
    }
    expect(stub.requests).toHaveLength(60);
    expect(missing).toEqual([]);
    await gateway.plane.inFlight.tick(performance.now());
    expect(found()).toEqual([]);
  });

  it('are charged like a stream that is cut: their input, and at most one token per three bytes received', async () => {
    responding({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: EVENT }, { until: new Promise(() => undefined) }],
    });
    const response = await ask(gateway.apiKey, { ...REQUESTED, stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    await inASecond();
    const [record] = found();
    expect(record).toMatchObject({ outcome: 'interrupted', priced: 'estimated', streamed: true });
    expect(record?.responseBytes).toBeGreaterThanOrEqual(EVENT.length);
    expect(record?.cost).toBeLessThan(ESTIMATE / 2);
    await reader?.cancel();
  });

  it('are charged the estimates of both calls of a hedged pair while both are in flight [faults D9]', async () => {
    const other = await StubProvider.start();
    gateway.addProvider('other', 'openai', other.origin);
    let known: LogRecord[] = [];
    stub.respond({ neverRespond: true });
    other.respond(() => {
      known = found();
      return { body: { usage: { prompt_tokens: 1, completion_tokens: 1 } } };
    });
    const config = {
      strategy: { mode: 'hedge', hedge_delay: 1 },
      targets: [{ provider: '@main' }, { provider: '@other' }],
    };
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-config': JSON.stringify(config) },
      body: JSON.stringify(REQUESTED),
    });
    await response.text();
    await other.stop();
    const charge = { provider: 'openai', cost: ESTIMATE, flags: ['estimated'] };
    expect(known).toMatchObject([
      {
        cost: 2 * ESTIMATE,
        credential: 'other',
        decision: {
          attempts: [
            { target: 'config.targets[0]', credential: 'main', hedge: 'first', end: 'interrupted' },
            { target: 'config.targets[1]', credential: 'other', hedge: 'second', end: 'interrupted' },
          ],
          charges: [
            { ...charge, line: 'primary', requests: 0 },
            { ...charge, line: 'hedge', requests: 1 },
          ],
        },
      },
    ]);
  });

  it('cost nothing while no provider was called for them, and are written to disk after a second', async () => {
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
      return files().length > 0;
    });
    expect(found().map(({ cost, ...rest }) => ({ cost: cost ?? null, ...rest }))).toMatchObject([
      { outcome: 'interrupted', provider: null, cost: null, priced: 'no_usage' },
    ]);
    leaving.abort();
    await expect(asking).rejects.toThrow();
  });

  it('become records of the next process, which creates them again with the same ids if it was killed before deleting the file', async () => {
    const asking = ask();
    await stub.waitForRequest();
    const { directory, sealer } = gateway.home;
    const [path = ''] = files();
    const left = readFileSync(path);
    expect(left.includes('gpt-4o')).toBe(false);
    const next = { directory: join(directory, 'next'), sealer };
    const journal = Journal.open(next);
    const copy = join(next.directory, 'in-flight-000001.log');
    for (const lost of [1, 1]) {
      writeFileSync(copy, left);
      expect(recoverInFlight(next.directory, journal, sealer)).toBe(lost);
      expect(existsSync(copy)).toBe(false);
    }
    expect(recoverInFlight(next.directory, journal, sealer)).toBe(0);
    const ids: string[] = [];
    for (let batch = await journal.read(10, 1_048_576); batch; batch = await journal.read(10, 1_048_576)) {
      for (const { meta } of decodeFrames(batch.bytes).frames)
        ids.push((JSON.parse(meta.toString()) as LogRecord).id);
      journal.acknowledge(batch.end);
    }
    journal.close();
    end();
    await (await asking).text();
    const [record] = await gateway.records();
    expect(ids).toEqual([record?.id, record?.id]);
  });

  it('leave nothing to recover once their own records are in the journal', async () => {
    end();
    for (let n = 0; n < 3; n += 1) await (await ask()).text();
    expect(files()).toHaveLength(1);
    await gateway.plane.inFlight.tick(performance.now());
    expect(files()).toEqual([]);
    for (let n = 0; n < 5; n += 1) await (await ask()).text();
    // An end is written when the request's record is surely in the journal: with the second request
    // after it.
    expect(found().length).toBeLessThanOrEqual(2);
  });

  it('are written within a second after the disk has refused them', async () => {
    const { directory } = gateway.home;
    renameSync(directory, `${directory}-away`);
    const asking = ask();
    await stub.waitForRequest();
    expect(gateway.plane.inFlight.unrecorded).toBe(1);
    renameSync(`${directory}-away`, directory);
    await inASecond();
    expect(found()).toMatchObject([{ outcome: 'interrupted', cost: ESTIMATE }]);
    end();
    await asking;
  });

  it('are refused with 503 before a provider call if they cannot be written to disk, under strict audit only [faults D9]', async () => {
    end();
    gateway.addTenant(WORKSPACE_ID, 'main', { strictAudit: true });
    expect((await ask()).status).toBe(200);
    await gateway.plane.inFlight.tick(performance.now());
    rmSync(gateway.home.directory, { recursive: true });
    const called = stub.requests.length;
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      503,
      '5',
      { error: { type: 'log_unavailable' } },
    ]);
    expect(stub.requests).toHaveLength(called);
    gateway.addTenant(WORKSPACE_ID, 'main');
    expect((await ask()).status).toBe(200);
    expect(gateway.plane.inFlight.unrecorded).toBe(2);
  });
});

describe('recordOfLine', () => {
  it('skips lines that are no records, which must not prevent a start', () => {
    for (const line of ['', '{', 'null', '[]', '{"id":1}', '{"id":"a","begun":{}}', '{"id":"a","begun":[]}'])
      expect(recordOfLine(line)).toBeNull();
    expect(recordOfLine('{"id":"a"}')).toEqual({ id: 'a' });
  });
});

describe('RequestsInFlight', () => {
  const begun = (startedAt: number): RequestContext =>
    ({ startedAt, before: null, after: null }) as unknown as RequestContext;

  it('returns the oldest requests first, and removes requests from any position', () => {
    const list = new RequestsInFlight();
    const [first, second, third, fourth] = [1, 2, 3, 4].map(begun) as [
      RequestContext,
      RequestContext,
      RequestContext,
      RequestContext,
    ];
    for (const context of [first, second, third, fourth]) list.join(context);
    expect(list.olderThan(4)).toEqual([first, second, third]);
    expect(list.olderThan(3)).toEqual([first, second]);
    list.leave(second);
    list.leave(fourth);
    list.leave(second);
    expect(list.olderThan(10)).toEqual([first, third]);
    list.leave(first);
    list.leave(third);
    expect(list.olderThan(10)).toEqual([]);
    list.join(first);
    expect(list.olderThan(10)).toEqual([first]);
  });
});
