import { eventually, type StubProvider } from '@gw/testing';

import { fakeOpenAi } from './spec-support/fake-openai';
import type { LogEntry } from './spec-support/logs';
import { CHAT_REQUEST, withProduct } from './spec-support/workbench';

const bench = withProduct();
let stub: StubProvider;

beforeAll(async () => {
  stub = await bench().stub();
  stub.answer(fakeOpenAi);
  await bench().provider({ slug: 'main', type: 'openai', stub });
});

/** Resolves with the whole answer, in the turn in which its last byte was read. */
async function answerOf(trace: string, stream: boolean): Promise<string> {
  const response = await fetch(`${bench().baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'x-gw-api-key': bench().apiKey,
      'x-gw-provider': '@main',
      'x-gw-trace-id': trace,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...CHAT_REQUEST, stream }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Answered ${String(response.status)}: ${text}`);
  return text;
}

async function allLogs(filter: string): Promise<LogEntry[]> {
  const logs: LogEntry[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await bench().logs(`page_size=100&${filter}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    logs.push(...page.data);
    cursor = page.next_cursor;
  }
  return logs;
}

/** Waits until each of the traces has its record, and fails when one has two. */
async function expectOneRecordEach(traces: readonly string[], timeoutMs = 20_000): Promise<void> {
  await eventually(
    async () => {
      const logged = (await allLogs('route=chat.completions')).map(({ trace_id }) => trace_id);
      const records = new Map(traces.map((trace) => [trace, logged.filter((id) => id === trace).length]));
      expect([...records].filter(([, count]) => count !== 1)).toEqual([]);
      return true;
    },
    { timeoutMs, everyMs: 200 },
  );
}

const isReady = async (): Promise<boolean> => (await fetch(`${bench().baseUrl}/health`)).ok;

/** Sends one request after the other until `during` has ended; gives their traces. All must be answered. */
async function requestsDuring(name: string, during: () => Promise<void>): Promise<string[]> {
  const traces: string[] = [];
  let ended = false;
  const finished = during().finally(() => (ended = true));
  while (!ended) {
    const trace = bench().trace(name);
    await answerOf(trace, traces.length % 2 === 1);
    traces.push(trace);
  }
  await finished;
  return traces;
}

it('[SVC-02] loses no record of an answered request when the gateway is killed in that moment, ten times', async () => {
  const traces: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const before = bench().product.pidOf('gateway') as number;
    const streamed = round % 2 === 1;
    const inFlight = Array.from({ length: 5 }, () => bench().trace('beside'));
    const others = inFlight.map((trace) => answerOf(trace, !streamed).then(() => traces.push(trace)));
    const trace = bench().trace('killed');
    const text = await answerOf(trace, streamed);
    process.kill(before, 'SIGKILL');
    traces.push(trace);
    if (streamed) expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    // Those that were cut may fail; the ones that were answered count.
    await Promise.allSettled(others);
    await eventually(() => ![null, before].includes(bench().product.pidOf('gateway')), { timeoutMs: 10_000 });
    await eventually(isReady, { timeoutMs: 10_000 });
    // A launcher gives up on a process that crashes six times in a minute, so now and then it is stopped in order.
    if (round % 3 === 2) {
      await bench().product.stopProcess('gateway');
      await bench().product.startStopped();
      await eventually(isReady, { timeoutMs: 10_000 });
    }
  }
  expect(traces.length).toBeGreaterThanOrEqual(10);
  await expectOneRecordEach(traces);
}, 120_000);

it('[SVC-02] loses and doubles no record when the worker is killed and started again', async () => {
  const traces = await requestsDuring('worker-killed', async () => {
    for (let kills = 0; kills < 3; kills += 1) {
      const before = await bench().product.kill('worker');
      await eventually(() => ![null, before].includes(bench().product.pidOf('worker')), {
        timeoutMs: 10_000,
      });
      await eventually(async () => (await bench().logs('page_size=1')).data.length === 1);
    }
  });
  expect(traces.length).toBeGreaterThan(20);
  await expectOneRecordEach(traces);
}, 60_000);

it('[SVC-02] answers while Postgres is stopped, and all records arrive when it is back', async () => {
  const traces = await requestsDuring('postgres-stopped', async () => {
    await bench().product.stopProcess('postgres');
    const until = Date.now() + 3_000;
    await eventually(() => Date.now() > until);
    await bench().product.startStopped();
  });
  expect(traces.length).toBeGreaterThan(20);
  await expectOneRecordEach(traces);
}, 60_000);
