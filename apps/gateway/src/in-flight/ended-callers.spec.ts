import { documentKey } from '@gw/contracts';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';

const EVENTS = { 'content-type': 'text/event-stream' };
const FIRST = `data: ${JSON.stringify({
  ...{ id: 'c', object: 'chat.completion.chunk', model: 'm' },
  choices: [{ index: 0, delta: { content: 'a' } }],
})}\n\n`;
const OTHER_KEY = 'another-key-0123456789abcdef0123';

describe('a request in flight whose caller was taken away', () => {
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
  const running = (): number => gateway.plane.underWay.olderThan(Infinity).length;

  it.each<[string, (of: GatewayHarness) => void]>([
    [
      'key was removed',
      (of) => {
        of.removeKey(of.apiKey);
      },
    ],
    [
      'key was archived',
      (of) => {
        of.addKey(of.apiKey, { status: 'archived' });
      },
    ],
    [
      'workspace was archived',
      (of) => {
        of.addTenant(WORKSPACE_ID, 'main', { status: 'archived' });
      },
    ],
    [
      'organisation was removed',
      (of) => {
        of.documents.remove(documentKey.organisation(ORGANISATION_ID));
      },
    ],
  ])('ends a stream when the %s, and logs why', async (_, takeAway) => {
    const { ended } = await openStream();
    takeAway(gateway);
    expect(await ended).toBe('broken');
    expect(await eventually(() => running() === 0)).toBe(true);
    expect(await gateway.records()).toMatchObject([
      { outcome: 'interrupted', errorType: 'api_key_invalid', streamed: true },
    ]);
  });

  it('ends only streams of that caller', async () => {
    const [mine, theirs] = [await openStream(), await openStream(OTHER_KEY)];
    gateway.removeKey(gateway.apiKey);
    expect(await mine.ended).toBe('broken');
    expect(running()).toBe(1);
    gateway.removeKey(OTHER_KEY);
    expect(await theirs.ended).toBe('broken');
  });

  it('answers a request that waits for its provider with 401', async () => {
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

  it.each<[string, (of: GatewayHarness) => void]>([
    [
      'key expires',
      (of) => {
        of.addKey(of.apiKey, { expiresAt: new Date(0).toISOString(), status: 'expired' });
      },
    ],
    [
      'key is renamed',
      (of) => {
        of.addKey(of.apiKey, { name: 'renamed' });
      },
    ],
    [
      'key loses a scope',
      (of) => {
        of.addKey(of.apiKey, { scopes: [] });
      },
    ],
    [
      'workspace changes',
      (of) => {
        of.addTenant(WORKSPACE_ID, 'main', { logBodies: false });
      },
    ],
  ])('leaves a stream alone when the %s', async (_, change) => {
    const kept = await openStream(OTHER_KEY);
    await openStream();
    change(gateway);
    gateway.removeKey(OTHER_KEY);
    // The end of the other stream shows that both were checked.
    expect(await kept.ended).toBe('broken');
    expect(running()).toBe(1);
  });
});
