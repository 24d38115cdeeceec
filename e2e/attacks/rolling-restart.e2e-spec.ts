import { isDeepStrictEqual } from 'node:util';
import { eventually, startNginx, startRedis, type StubProvider, type TestNginx } from '@gw/testing';
import { FleetProcess } from '../spec-support/fleet';
import { startLoad } from '../spec-support/roll';
import { Workbench } from '../spec-support/workbench';

jest.setTimeout(600_000);

/**
 * Request rate that two cores can serve in addition to the product; `npm run test:rolling` uses
 * more.
 */
const PER_SECOND = Number(process.env['ROLLING_PER_SECOND'] ?? 150);
/** Total number of requests; the restarts take about 2,000 at this rate. */
const REQUESTS = Number(process.env['ROLLING_REQUESTS'] ?? 1);
/** Milliseconds for which each gateway keeps serving after its signal. */
const LEAD_MS = Number(process.env['ROLLING_LEAD'] ?? 1_000);
/** Number of restarts of all gateways, of which one has to lose no request. */
const RUNS_MAX = 3;
const CHAT = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
const RESPONSE = { id: 'c', object: 'chat.completion', choices: [] };

describe('rolling restart of gateways behind nginx', () => {
  let bench: Workbench;
  let stub: StubProvider;
  let fleet: FleetProcess[];
  let nginx: TestNginx;
  let redis: Awaited<ReturnType<typeof startRedis>>;

  beforeAll(async () => {
    redis = await startRedis();
    bench = await Workbench.start({
      redisUrl: redis.url,
      environment: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    });
    stub = await bench.stub();
    await bench.provider({ slug: 'main', type: 'openai', stub });
    // The default grace period; requests in flight after it are interrupted, as intended.
    fleet = await Promise.all(['gateway-a', 'gateway-b', 'gateway-c'].map((name) => start(name, 45_000)));
    nginx = await startNginx(fleet.map(({ port }) => port));
  });
  afterAll(async () => {
    await nginx.stop();
    await Promise.all(fleet.map((gateway) => gateway.kill()));
    await bench.stop();
    // Stops Redis after the product, which would wait for it.
    await redis.stop();
  });

  const start = (name: string, graceMs: number, leadMs = LEAD_MS): Promise<FleetProcess> =>
    FleetProcess.start('gateway', bench, name, {
      SHUTDOWN_LEAD: String(leadMs),
      SHUTDOWN_GRACE: String(leadMs + graceMs),
    });
  const headers = (): Record<string, string> => ({
    'content-type': 'application/json',
    'x-gw-api-key': bench.apiKey,
    'x-gw-provider': '@main',
  });
  const ready = (gateway: FleetProcess): Promise<boolean> =>
    eventually(async () => (await fetch(`${gateway.baseUrl}/health/ready`)).ok, { timeoutMs: 90_000 });

  /** Restarts each gateway under load. Returns the outcomes that are not 200, with their reasons. */
  async function lostIn(gateways: readonly FleetProcess[]): Promise<readonly unknown[]> {
    stub.respondJson(RESPONSE);
    const load = startLoad({
      url: `${nginx.origin}/v1/chat/completions`,
      headers: headers(),
      body: CHAT,
      perSecond: PER_SECOND,
    });
    const done = (): number => [...load.outcomes.values()].reduce((sum, count) => sum + count, 0);
    const more = async (): Promise<void> => {
      const target = done() + PER_SECOND;
      await eventually(() => done() >= target, { timeoutMs: 90_000 });
    };
    try {
      await more();
      for (const gateway of gateways) {
        await gateway.stop();
        await more();
        await gateway.start();
        await ready(gateway);
        // nginx retries a server that refused a connection after a second.
        await more();
        await more();
      }
      while (done() < REQUESTS) await more();
    } finally {
      await load.stop();
    }
    const lost = [...load.outcomes].filter(([outcome]) => outcome !== 200);
    return lost.length === 0 ? [] : [...lost, nginx.errors()];
  }

  it('loses no request', async () => {
    let lost = await lostIn(fleet);
    // A gateway closes connections that have been idle for a second. On a busy machine, nginx may
    // send a request on one of them before it learns of that; other restarts have to lose nothing.
    for (let runs = 1; runs < RUNS_MAX && lost.length > 0; runs += 1) lost = await lostIn(fleet);
    expect(lost).toEqual([]);
  });

  it('reports not ready, finishes in-flight requests, and interrupts the rest with a reason', async () => {
    const events = { 'content-type': 'text/event-stream' };
    const chunk = 'data: {"id":"c","object":"chat.completion.chunk","choices":[]}\n\n';
    /** Stops a gateway that serves for `leadMs` more, and then for `graceMs` what has begun. */
    async function attempt(leadMs: number, graceMs: number): Promise<Stopped> {
      const gateway = await start(`gateway-${String(graceMs)}`, graceMs, leadMs);
      fleet.push(gateway);
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const stream = async (): Promise<Response> =>
        fetch(`${gateway.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: headers(),
          body: JSON.stringify({ ...(JSON.parse(CHAT) as object), stream: true }),
        });
      stub.respond({ headers: events, steps: [{ chunk }, { until: held }, { chunk: 'data: [DONE]\n\n' }] });
      const finished = await stream();
      stub.respond({ headers: events, steps: [{ chunk }, { hang: true }] });
      const interrupted = await stream();
      let saidNotReady = false;
      const stopped = gateway.stop();
      await eventually(
        async () => {
          const status = await statusOf(`${gateway.baseUrl}/health/ready`);
          saidNotReady ||= status === 503;
          return status === null;
        },
        { timeoutMs: 90_000 },
      );
      release();
      const [whole, broken] = await Promise.all([finished.text(), interrupted.text()]);
      await stopped;
      return {
        saidNotReady,
        finished: /data: \[DONE\]\n\n$/.test(whole),
        interrupted: /"type":"gateway_stopping"/.test(broken),
      };
    }
    const right = { saidNotReady: true, finished: true, interrupted: true };
    // On a busy machine the test may get no processor time during a short period.
    for (const leadMs of [1_000, 5_000])
      if (isDeepStrictEqual(await attempt(leadMs, 3 * leadMs).catch(() => null), right)) return;
    expect(await attempt(20_000, 60_000)).toEqual(right);
  });
});

interface Stopped {
  readonly saidNotReady: boolean;
  /** Whether the stream that could end in time ended in its mark. */
  readonly finished: boolean;
  /** Whether the other stream ended in the reason. */
  readonly interrupted: boolean;
}

/** Returns null when the connection is refused or breaks. */
const statusOf = (url: string): Promise<number | null> =>
  fetch(url, { headers: { connection: 'close' } }).then(
    ({ status }) => status,
    () => null,
  );
