import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';

const EVENTS = { 'content-type': 'text/event-stream' };
const FIRST = `data: ${JSON.stringify({
  ...{ id: 'c', object: 'chat.completion.chunk', model: 'm' },
  choices: [{ index: 0, delta: { content: 'a' } }],
})}\n\n`;
const OTHER_KEY = 'another-key-0123456789abcdef0123';

describe('request in flight whose caller has ended', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addKey(OTHER_KEY, { id: 'other' });
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const ask = (stream: boolean, apiKey = gateway.apiKey): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': apiKey, 'x-gw-provider': '@main' },
      body: JSON.stringify({ model: 'gpt-4o', stream, messages: [] }),
    });
  /** A stream that has begun and stays open. */
  async function openStream(apiKey?: string): Promise<{ readonly ended: Promise<string> }> {
    stub.respond({ headers: EVENTS, steps: [{ chunk: FIRST }, { hang: true }] });
    const reader = ((await ask(true, apiKey)).body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const rest = async (): Promise<string> => {
      for (;;) if ((await reader.read()).done) return 'complete';
    };
    return { ended: rest().catch(() => 'broken') };
  }
  const running = (): number => gateway.plane.requestsInFlight.olderThan(Infinity).length;

  it('ends a stream, and logs why', async () => {
    const { ended } = await openStream();
    gateway.removeKey(gateway.apiKey);
    expect(await ended).toBe('broken');
    expect(await eventually(() => running() === 0)).toBe(true);
    expect(await gateway.records()).toMatchObject([
      { outcome: 'interrupted', errorType: 'api_key_invalid', streamed: true },
    ]);
  });

  it('logs every stream that it ends, more than requests of a refused key get log rows', async () => {
    const streams: Promise<string>[] = [];
    for (let count = 0; count < 70; count += 1) streams.push((await openStream()).ended);
    gateway.removeKey(gateway.apiKey);
    await Promise.all(streams);
    expect(await eventually(() => running() === 0)).toBe(true);
    expect(await gateway.records()).toHaveLength(70);
    expect(gateway.plane.refused.counts.size).toBe(0);
  });

  it('ends only streams of that caller', async () => {
    const [mine, theirs] = [await openStream(), await openStream(OTHER_KEY)];
    gateway.removeKey(gateway.apiKey);
    expect(await mine.ended).toBe('broken');
    expect(running()).toBe(1);
    gateway.removeKey(OTHER_KEY);
    expect(await theirs.ended).toBe('broken');
  });

  it('returns 401 for a request that waits for its provider', async () => {
    stub.respond({ neverRespond: true });
    const response = ask(false);
    await stub.waitForRequest();
    gateway.removeKey(gateway.apiKey);
    const { status } = await response;
    expect([status, await (await response).json()]).toMatchObject([
      401,
      { error: { message: expect.stringContaining('was withdrawn') } },
    ]);
  });

  it('does not end a stream whose key or workspace only changes', async () => {
    const other = await openStream(OTHER_KEY);
    await openStream();
    gateway.addKey(gateway.apiKey, { name: 'renamed', scopes: [], expiresAt: new Date(0).toISOString() });
    gateway.addTenant(WORKSPACE_ID, 'main', { logBodies: false });
    gateway.removeKey(OTHER_KEY);
    // The end of the other stream shows that both were checked.
    expect(await other.ended).toBe('broken');
    expect(running()).toBe(1);
  });
});
