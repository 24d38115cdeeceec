import { eventually } from '@gw/testing';
import { TestClient } from '../spec-support/test-client';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';
import { playLocal } from './local-transport';

const CHUNKS = 10_000;

/** A long response that counts the pieces generated. */
function longResponse() {
  let made = 0;
  function* pieces() {
    for (; made < CHUNKS;) {
      made += 1;
      yield { waitMs: 0, data: Buffer.alloc(300) };
    }
  }
  return {
    answer: { status: 200, headers: [], delayMs: 0, chunks: pieces(), cut: false },
    made: () => made,
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('scripted response', () => {
  it('stops generating pieces within 64 KiB while the receiver is paused, and continues with all of them', async () => {
    const { answer: response, made } = longResponse();
    let [received, hasEnded] = [0, false];
    const call = playLocal(response, {
      onHeaders: () => undefined,
      onData: ({ length }) => (received += length),
      onEnd: () => (hasEnded = true),
      onError: () => undefined,
    });
    while (received === 0) await turn();
    call.pause();
    const atPause = made();
    expect(atPause * 300).toBeLessThan(65_536 + 300);
    for (let left = 10; left > 0; left -= 1) await turn();
    expect([made(), received]).toEqual([atPause, atPause * 300]);
    call.resume();
    while (!hasEnded) await turn();
    expect([made(), received]).toEqual([CHUNKS, CHUNKS * 300]);
  });
});

describe('sandbox streams', () => {
  let gateway: GatewayHarness;
  const OTHER_KEY = 'gw-other-workspace';

  beforeEach(async () => {
    gateway = await GatewayHarness.start({ MAX_CONNECTIONS_PER_PROVIDER: '8', SANDBOX_ENABLED: 'true' });
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addKey(OTHER_KEY, { workspaceId: OTHER_WORKSPACE_ID });
    gateway.addProvider('sandbox', 'sandbox', null);
    gateway.addProvider('sandbox', 'sandbox', null, { workspaceId: OTHER_WORKSPACE_ID });
  });
  afterEach(() => gateway.stop());

  it('limits a workspace to half of a provider’s connections, leaves the rest to others, and frees them at the end', async () => {
    const asker = new TestClient(() => gateway);
    const headers = { 'x-gw-provider': '@sandbox' };
    const message = { messages: [{ role: 'user', content: 'Hi' }] };
    const quick = { model: 'sandbox-small', ...message };
    const slow = { model: 'sandbox-small?gap=10000', stream: true, ...message };
    const leaving = new AbortController();
    const held = await Promise.all(
      [1, 2, 3, 4].map(() => asker.open('/chat/completions', slow, { headers, signal: leaving.signal })),
    );
    expect(held.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await asker.ask('/chat/completions', quick, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { type: 'provider_connections_exhausted' } });
    const other = await asker.ask('/chat/completions', quick, { headers, key: OTHER_KEY });
    expect(other.status).toBe(200);
    leaving.abort();
    await eventually(async () => (await asker.ask('/chat/completions', quick, { headers })).status === 200);
    const after = await Promise.all(
      [1, 2, 3, 4].map(() => asker.ask('/chat/completions', quick, { headers })),
    );
    expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
