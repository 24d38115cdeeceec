import type { DecisionRecord } from '@gw/contracts';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { TestClient } from '../spec-support/test-client';

const RETRY = { attempts: 2, use_retry_after_header: true };
/** A wait that is longer than all the rest of a request. */
const LATER = { status: 503, headers: { 'retry-after': '1' }, body: {} };
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

type Attempts = DecisionRecord['attempts'];

describe('waits before attempts', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;
  const client = new TestClient(() => gateway);
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [first, second] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('first', 'openai', first.origin);
    gateway.addProvider('second', 'openai', second.origin);
    second.respondJson({ from: 'second' });
  });
  afterEach(() => Promise.all([gateway.stop(), first.stop(), second.stop()]));

  /** Sends a request that fails once, and checks that its record has all its time once. */
  async function recorded(config: object): Promise<Attempts> {
    const response = await client.ask('/chat/completions', CHAT, { config });
    const record = await eventually(async () => (await gateway.records()).at(-1));
    const { attempts } = record.decision;
    const calls = attempts.filter(({ hedge }) => hedge !== 'second');
    const elsewhere = calls.reduce((sum, each) => sum + each.durationMs + (each.waitedMs ?? 0), 0);
    expect(record.overheadMs + elsewhere).toBeLessThanOrEqual(record.durationMs + 0.01);
    for (const [at, { startedMs, waitedMs = 0 }] of calls.entries()) {
      const before = calls[at - 1];
      const ended = before === undefined ? 0 : before.startedMs + before.durationMs;
      expect(ended + waitedMs).toBeLessThanOrEqual(startedMs + 0.01);
    }
    expect(response.status).toBe(record.status);
    return attempts;
  }
  const once = (): void => {
    first.respond(() => (first.requests.length < 2 ? LATER : { body: {} }));
  };
  const waits = (attempts: Attempts): boolean[] => attempts.map(({ waitedMs = 0 }) => waitedMs > 900);

  it('are recorded with the attempt that follows, and are no overhead of the gateway', async () => {
    once();
    const attempts = await recorded({ provider: '@first', retry: RETRY });
    expect(attempts.map(({ status }) => status)).toEqual([503, 200]);
    expect(waits(attempts)).toEqual([false, true]);
    expect(attempts[0]).not.toHaveProperty('waitedMs');
  });

  it('are recorded when the back-off is random', async () => {
    first.respond(() => (first.requests.length < 2 ? { status: 500, body: {} } : { body: {} }));
    const attempts = await recorded({ provider: '@first', retry: { attempts: 2 } });
    expect(attempts.map(({ status }) => status)).toEqual([500, 200]);
    expect(attempts[1]?.waitedMs).toBeGreaterThanOrEqual(0);
  });

  it('are not those of another target', async () => {
    first.respond(LATER);
    const targets = [{ provider: '@first', retry: { ...RETRY, attempts: 1 } }, { provider: '@second' }];
    const attempts = await recorded({ strategy: { mode: 'fallback' }, targets });
    expect(attempts.map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(waits(attempts)).toEqual([false, true, false]);
    expect(attempts[2]).not.toHaveProperty('waitedMs');
  });

  it('are shown by x-gw-explain', async () => {
    once();
    const response = await client.ask('/chat/completions', CHAT, {
      config: { provider: '@first', retry: RETRY },
      headers: { 'x-gw-explain': '1' },
    });
    const { attempts } = JSON.parse(response.headers.get('x-gw-decision') ?? '') as { attempts: Attempts };
    expect(waits(attempts)).toEqual([false, true]);
  });
});
