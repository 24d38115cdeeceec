import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpServerDocument } from '@gw/contracts';
import { eventually, modernRequest, startMcpFixture, startRedis, type McpFixture } from '@gw/testing';
import { Gateways } from './spec-support/gateways';
import { serverDocument } from './spec-support/mcp-server';
import { RawSession } from './spec-support/raw-session';
import { EventReader } from './spec-support/read-events';

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

  it('deliver the response to a call whose stream broke, without a second call', async () => {
    const client = await session();
    const before = fixture.calls.get('slow') ?? 0;
    const call = await client.stream(here, 'tools/call', progress(1_000));
    await call.until('notifications/progress');
    call.leave();
    // A busy machine may deliver the response together with this event; the client lost it.
    const seen = call.events.find(({ data }) => data.includes('notifications/progress'));
    const resumed = await client.get(there, seen?.id ?? '');
    expect(resumed.status).toBe(200);
    await resumed.untilEnd();
    expect(resumed.messages).toEqual([
      expect.objectContaining({ id: 1, result: expect.objectContaining({ content: expect.anything() }) }),
    ]);
    expect((fixture.calls.get('slow') ?? 0) - before).toBe(1);
  });

  it('deliver each missed event once, and the response of a call that ended meanwhile', async () => {
    const client = await session();
    const call = await client.stream(here, 'tools/call', progress(1));
    await call.untilEnd();
    const [first] = call.events;
    const resumed = await client.get(there, first?.id ?? '');
    await resumed.untilEnd();
    expect(resumed.events).toEqual(call.events.slice(1));
    expect((await client.get(there, call.lastId)).status).toBe(400);
  });

  it('send clients of older revisions no event without a message', async () => {
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

  it('report list changes that happened while the client was disconnected, once', async () => {
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

  it('are limited to one per session: a second one is refused, and one that resumes takes over', async () => {
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

  it('start anew for an unknown event id', async () => {
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

  it('end with a retry time when a gateway is drained, and listen requests with their result', async () => {
    const drained = await Gateways.start(1, redis?.url ?? null);
    drained.save(document);
    const client = await RawSession.open(drained.origin(0), drained.apiKey);
    const stream = await client.get(drained.origin(0));
    const filter = { notifications: { toolsListChanged: true } };
    const listen = await EventReader.open(
      `${drained.origin(0)}/main/tools/mcp`,
      modernRequest(drained.apiKey, 'subscriptions/listen', filter),
    );
    await stream.until('id: ');
    await listen.until('acknowledged');
    drained.at(0).drain.announce();
    await stream.untilEnd();
    await listen.untilEnd();
    expect(listen.text).toContain('"resultType":"complete"');
    expect(stream.text).toContain('retry: 1000');
    const late = await client.get(drained.origin(0), stream.lastId);
    await late.untilEnd();
    expect(late.text).toContain('retry: 1000');
    await drained.stop();
  });

  it.each(['1', '2'] as const)(
    'work with clients of SDK %s that lose their connection in a call',
    async (sdk) => {
      const sent: string[] = [];
      const broken: typeof fetch = async (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input);
        const { method = 'GET', body } = init ?? {};
        if (new Headers(init?.headers).has('last-event-id')) sent.push(`${method} resumes`);
        if (method === 'GET') url.host = new URL(there).host;
        const response = await fetch(url, init);
        const isCall = typeof body === 'string' && body.includes('tools/call');
        if (!isCall || response.body === null) return response;
        const { status, headers } = response;
        return new Response(untilFirstMessage(response.body), { status, headers });
      };
      const client = await clientOf(sdk, new URL(`${here}/main/tools/mcp`), {
        requestInit: { headers: { 'x-gw-api-key': gateways.apiKey } },
        fetch: broken,
      });
      const seen: unknown[] = [];
      const before = fixture.calls.get('slow') ?? 0;
      const result = await client.call({ name: 'slow', arguments: { ms: 500 } }, (each) => seen.push(each));
      expect(JSON.stringify(result)).toContain('"text":"done"');
      expect([seen.length, (fixture.calls.get('slow') ?? 0) - before]).toEqual([1, 1]);
      expect(sent).toContain('GET resumes');
      await client.close();
    },
  );
});

describe('a stream whose gateway died', () => {
  it('ends with one clear result at the gateway where its client resumes it', async () => {
    const redis = await startRedis();
    const gateways = await Gateways.start(2, redis.url);
    const fixture = await startMcpFixture({ era: 'legacy' });
    gateways.save(await serverDocument(fixture.url, 'tools'));
    const client = await RawSession.open(gateways.origin(0), gateways.apiKey);
    const call = await client.stream(gateways.origin(0), 'tools/call', progress(60_000));
    await call.until('notifications/progress');
    await gateways.at(0).stop();
    await call.untilEnd();
    const resumed = await client.get(gateways.origin(1), call.lastId);
    await resumed.untilEnd();
    expect(resumed.messages).toEqual([
      { jsonrpc: '2.0', id: 1, result: expect.objectContaining({ isError: true }) as unknown },
    ]);
    expect(resumed.text).toContain('The call was interrupted; call the tool again.');
    await gateways.at(1).stop();
    await fixture.close();
    await redis.stop();
  });
});

interface CallingClient {
  call(params: { name: string; arguments: object }, onprogress: (each: unknown) => void): Promise<unknown>;
  close(): Promise<void>;
}

/** A client with a session, of either SDK. */
async function clientOf(
  sdk: '1' | '2',
  url: URL,
  options: { readonly requestInit: RequestInit; readonly fetch: typeof fetch },
): Promise<CallingClient> {
  const info = { name: 'spec', version: '1' };
  if (sdk === '1') {
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(url, options));
    return {
      call: (params, onprogress) =>
        client.callTool({ ...params, arguments: { ...params.arguments } }, undefined, { onprogress }),
      close: () => client.close(),
    };
  }
  const client = new NewClient(info);
  await client.connect(new NewTransport(url, options));
  return {
    call: (params, onprogress) =>
      client.callTool({ ...params, arguments: { ...params.arguments } }, { onprogress }),
    close: () => client.close(),
  };
}

/** Cuts a stream after its first message, even if more arrived in the same chunk. */
function untilFirstMessage(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let text = '';
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await reader.read();
      const before = text.length;
      text += Buffer.from(value ?? []).toString('latin1');
      const end = text.indexOf('\n\n', text.indexOf('"progress"'));
      const isOver = text.includes('"progress"') && end !== -1;
      controller.enqueue(Buffer.from(text.slice(before, isOver ? end + 2 : undefined), 'latin1'));
      if (!done && !isOver) return;
      controller.close();
      void reader.cancel();
    },
  });
}
