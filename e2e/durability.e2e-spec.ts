import { eventually } from '@gw/testing';

import { fakeOpenAi } from './spec-support/fake-openai';
import { CHAT_REQUEST, withProductOn, type Drivers } from './spec-support/workbench';

const FILTER = 'route=chat.completions';

describe.each<Drivers>(['embedded', 'Redis'])('durability with the %s drivers', (drivers) => {
  const { bench } = withProductOn(drivers);

  beforeAll(async () => {
    const stub = await bench().stub();
    stub.respond(fakeOpenAi);
    await bench().provider({ slug: 'main', type: 'openai', stub });
  });

  /** Resolves with the whole response, in the event loop turn in which its last byte was read. */
  async function responseOf(trace: string, stream: boolean): Promise<string> {
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

  const isReady = async (): Promise<boolean> => (await fetch(`${bench().baseUrl}/health`)).ok;

  /**
   * Sends requests one after the other until `during` has ended and returns their traces. All must
   * succeed.
   */
  async function requestsDuring(
    name: string,
    during: (responded: () => number) => Promise<void>,
  ): Promise<string[]> {
    const traces: string[] = [];
    let ended = false;
    const finished = during(() => traces.length).finally(() => (ended = true));
    while (!ended) {
      const trace = bench().trace(name);
      await responseOf(trace, traces.length % 2 === 1);
      traces.push(trace);
    }
    await finished;
    return traces;
  }

  it('[SVC-02] loses no record of a completed request when the gateway is repeatedly killed at that moment', async () => {
    const traces: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = bench().product.pidOf('gateway') as number;
      const streamed = round % 2 === 0;
      const inFlight = Array.from({ length: 5 }, () => bench().trace('parallel'));
      const others = inFlight.map((trace) => responseOf(trace, !streamed).then(() => traces.push(trace)));
      const trace = bench().trace('killed');
      const text = await responseOf(trace, streamed);
      process.kill(before, 'SIGKILL');
      traces.push(trace);
      if (streamed) expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
      // Interrupted requests may fail; completed ones count.
      await Promise.allSettled(others);
      await eventually(() => ![null, before].includes(bench().product.pidOf('gateway')), {
        timeoutMs: 90_000,
      });
      await eventually(isReady, { timeoutMs: 90_000 });
      // An orderly stop empties the journal, so that the next kill leaves only its own records.
      if (round === 2) await bench().restartProduct();
    }
    expect(traces.length).toBeGreaterThanOrEqual(5);
    await bench().expectOneRecordEach(traces, FILTER);
  });

  it('[SVC-02] neither loses nor duplicates a record when the worker is killed and restarted', async () => {
    const traces = await requestsDuring('worker-killed', async (responded) => {
      for (let kills = 0; kills < 3; kills += 1) {
        const before = await bench().product.kill('worker');
        await eventually(() => ![null, before].includes(bench().product.pidOf('worker')), {
          timeoutMs: 90_000,
        });
        await eventually(async () => (await bench().logs('page_size=1')).data.length === 1);
      }
      await eventually(() => responded() > 20);
    });
    await bench().expectOneRecordEach(traces, FILTER);
  });

  it('[SVC-02] serves requests while Postgres is stopped, and stores all records when it is back', async () => {
    const traces = await requestsDuring('postgres-stopped', async (responded) => {
      await bench().product.stopProcess('postgres');
      const before = responded();
      const until = Date.now() + 3_000;
      await eventually(() => Date.now() > until && responded() > before + 20, { timeoutMs: 90_000 });
      await bench().product.startStopped();
    });
    await bench().expectOneRecordEach(traces, FILTER);
  });
});
