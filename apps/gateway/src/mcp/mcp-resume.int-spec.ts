import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpServerDocument } from '@gw/contracts';
import { eventually, startMcpFixture, startRedis, type McpFixture } from '@gw/testing';
import { Gateways } from './spec-support/gateways';
import { serverDocument } from './spec-support/mcp-server';
import { RawSession } from './spec-support/raw-session';

const OTHER_KEY = 'otherKey000000000000000000000AB1';
const progress = (ms: number) => ({ name: 'slow', arguments: { ms }, _meta: { progressToken: 'p' } });

describe.each([
  ['two gateways that share a Redis', 1],
  ['one gateway without Redis', 0],
] as const)('streams that clients resume at %s', (_what, other) => {
  let redis: Awaited<ReturnType<typeof startRedis>> | null;
  let gateways: Gateways;
  let fixture: McpFixture;
  let document: McpServerDocument;
  let here: string;
  let there: string;
  beforeAll(async () => {
    redis = other === 1 ? await startRedis() : null;
    gateways = await Gateways.start(other + 1, redis?.url ?? null);
    gateways.addKey(OTHER_KEY);
    fixture = await startMcpFixture({ era: 'legacy' });
    document = await serverDocument(fixture.url, 'tools');
    gateways.save(document);
    [here, there] = [gateways.origin(0), gateways.origin(other)];
  });
  afterAll(async () => {
    await gateways.stop();
    await fixture.close();
    await redis?.stop();
  });
  const session = (revision?: string) =>
    RawSession.open(here, gateways.apiKey, revision === undefined ? {} : { revision });

  it('get the response to a call whose stream broke, without a second call', async () => {
    const client = await session();
    const before = fixture.calls.get('slow') ?? 0;
    const call = await client.stream(here, 'tools/call', progress(1_000));
    await call.until('notifications/progress');
    call.leave();
    const resumed = await client.get(there, call.lastId);
    expect(resumed.status).toBe(200);
    await resumed.untilEnd();
    expect(resumed.messages).toEqual([
      expect.objectContaining({ id: 1, result: expect.objectContaining({ content: expect.anything() }) }),
    ]);
    expect((fixture.calls.get('slow') ?? 0) - before).toBe(1);
  });

  it('get what they missed, once each, and the response of a call that ended meanwhile', async () => {
    const client = await session();
    const call = await client.stream(here, 'tools/call', progress(1));
    await call.untilEnd();
    const [first] = call.events;
    const resumed = await client.get(there, first?.id ?? '');
    await resumed.untilEnd();
    expect(resumed.events).toEqual(call.events.slice(1));
    expect((await client.get(there, call.lastId)).status).toBe(400);
  });

  it('give clients of older revisions no event without a message', async () => {
    const client = await session('2025-06-18');
    const call = await client.stream(here, 'tools/call', progress(1));
    await call.untilEnd();
    expect(call.events.map(({ data }) => data === '')).toEqual([false, false]);
    expect(call.events.every(({ id }) => id !== null)).toBe(true);
  });

  it('belong to one session of one caller', async () => {
    const client = await session();
    const call = await client.stream(here, 'tools/call', progress(1));
    await call.untilEnd();
    const foreign = await RawSession.open(there, OTHER_KEY);
    const mine = await session();
    const first = call.events[0]?.id ?? '';
    expect((await client.as(OTHER_KEY).get(there, first)).status).toBe(404);
    for (const [each, at] of [
      [foreign, there],
      [mine, here],
    ] as const) {
      const stolen = await each.get(at, first);
      expect(stolen.status).toBe(400);
      const text = stolen.text;
      expect(text).not.toContain('progress');
    }
  });

  it('bring changes of lists that happened while the client was away, once', async () => {
    const client = await session();
    const stream = await client.get(here);
    await stream.until('id: ');
    stream.leave();
    gateways.save({ ...document, capabilities: document.capabilities.slice(1) });
    const resumed = await eventually(async () => {
      const again = await client.get(there, stream.lastId);
      return again.status === 200 && again;
    });
    await resumed.until('notifications/tools/list_changed');
    resumed.leave();
    const last = await client.get(there, resumed.lastId);
    gateways.save(document);
    await last.until('notifications/tools/list_changed');
    expect(last.messages.filter(({ method }) => method === 'notifications/tools/list_changed')).toHaveLength(
      1,
    );
    last.leave();
  });

  it('are one for each session: a second one is refused, and one that resumes takes over', async () => {
    const client = await session();
    const first = await client.get(here);
    await first.until('id: ');
    expect((await client.get(there)).status).toBe(409);
    const second = await client.get(there, first.lastId);
    expect(second.status).toBe(200);
    await first.untilEnd();
    expect(first.text).toContain('retry: 1000');
    second.leave();
    const third = await eventually(async () => {
      const again = await client.get(here);
      return again.status === 200 && again;
    });
    third.leave();
  });

  it('start anew for an id that no stream has', async () => {
    const client = await session();
    const stream = await client.get(there, 's0000-7');
    await stream.until('the stream starts anew');
    for (const id of ['x'.repeat(5_000), 'c-1', '../../s1-1', 's1-99999999999999999999']) {
      const next = await client.get(there, id);
      await next.until('the stream starts anew');
      await stream.untilEnd();
      next.leave();
    }
  });

  it('end with a time to wait when a gateway is drained, and listens with their result', async () => {
    const drained = await Gateways.start(1, redis?.url ?? null);
    drained.save(document);
    const client = await RawSession.open(drained.origin(0), drained.apiKey);
    const stream = await client.get(drained.origin(0));
    await stream.until('id: ');
    drained.at(0).drain.announce();
    await stream.untilEnd();
    expect(stream.text).toContain('retry: 1000');
    const late = await client.get(drained.origin(0), stream.lastId);
    await late.untilEnd();
    expect(late.text).toContain('retry: 1000');
    await drained.stop();
  });

  it('work with clients of SDK 1 that lose their connection in a call', async () => {
    const client = new Client({ name: 'spec', version: '1' });
    const sent: string[] = [];
    let breaks = 0;
    const broken: typeof fetch = async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const { method = 'GET' } = init ?? {};
      const isCall = typeof init?.body === 'string' && init.body.includes('tools/call');
      sent.push(`${method} ${new Headers(init?.headers).get('last-event-id') === null ? '' : 'resumes'}`);
      if (method === 'GET') url.host = new URL(there).host;
      const response = await fetch(url, init);
      if (!isCall || response.body === null) return response;
      breaks += 1;
      return new Response(untilFirstMessage(response.body), {
        status: response.status,
        headers: response.headers,
      });
    };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${here}/main/tools/mcp`), {
        requestInit: { headers: { 'x-gw-api-key': gateways.apiKey } },
        fetch: broken,
      }),
    );
    const seen: unknown[] = [];
    const result = await client.callTool({ name: 'slow', arguments: { ms: 500 } }, undefined, {
      onprogress: (each) => seen.push(each),
    });
    expect(result).toMatchObject({ content: [{ text: 'done' }] });
    expect([seen.length, breaks]).toEqual([1, 1]);
    expect(sent).toContain('GET resumes');
    await client.close();
  });
});

/** Cuts a stream behind its first chunk with a message. */
function untilFirstMessage(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done || isOver) {
        controller.close();
        void reader.cancel();
        return;
      }
      controller.enqueue(value);
      isOver = Buffer.from(value).toString('utf8').includes('"progress"');
    },
  });
}
