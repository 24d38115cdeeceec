import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { eventually, modernRequest, startMcpFixture, startRedis, type McpFixture } from '@gw/testing';
import { Gateways, type SentRequest } from './spec-support/gateways';
import { serverDocument } from './spec-support/mcp-server';
import { RawSession } from './spec-support/raw-session';

const INFO = { name: 'spec', version: '1' };
const TOOLS = {
  legacy: { name: 'test_elicitation', arguments: { message: 'Who?' } },
  modern: { name: 'test_input_required_result_elicitation', arguments: {} },
};
const ANSWER = {
  action: 'accept' as const,
  content: { response: 'Ada', name: 'Ada' },
};
const SAMPLED = {
  model: 'm',
  role: 'assistant' as const,
  content: { type: 'text' as const, text: 'sampled by the client' },
};

/** Calls go to the first gateway, and everything that continues one goes to the second. */
const continuations = ({ method, hasInputResponses }: SentRequest): number =>
  method === null || hasInputResponses ? 1 : 0;

describe.each(['legacy', 'modern'] as const)('several gateways before a server of the era %s', (era) => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let gateways: Gateways;
  let fixture: McpFixture;
  beforeAll(async () => {
    redis = await startRedis();
    gateways = await Gateways.start(2, redis.url, { MCP_LEGACY_SSE: 'on' });
    fixture = await startMcpFixture({ era });
    gateways.save(await serverDocument(fixture.url, 'tools', { configurations: { allow_sampling: true } }));
  });
  afterAll(async () => {
    await gateways.stop();
    await fixture.close();
    await redis.stop();
  });
  const url = () => new URL(`${gateways.origin(0)}/main/tools/mcp`);
  const options = (choose: (request: SentRequest) => number) => ({
    requestInit: { headers: { 'x-gw-api-key': gateways.apiKey } },
    fetch: gateways.fetchBy(choose),
  });

  it('take the answer of a client with a session to an elicitation at another gateway', async () => {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
    await client.connect(new StreamableHTTPClientTransport(url(), options(continuations)));
    expect(JSON.stringify(await client.callTool(TOOLS[era]))).toContain('Ada');
    await client.close();
  });

  it('take the answer of a client of SDK 2 with a session at another gateway', async () => {
    const client = new ModernClient(INFO, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', () => ANSWER);
    await client.connect(new ModernTransport(url(), options(continuations)));
    expect(JSON.stringify(await client.callTool(TOOLS[era]))).toContain('Ada');
    await client.close();
  });

  it('take the answer to a request for sampling at another gateway', async () => {
    const client = new Client(INFO, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
    await client.connect(new StreamableHTTPClientTransport(url(), options(continuations)));
    const result = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hi' } });
    expect(JSON.stringify(result)).toContain('sampled by the client');
    await client.close();
  });

  it('take the messages of a client with HTTP+SSE at another gateway than that of its stream', async () => {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
    const sse = new URL(url().href.replace(/mcp$/, 'sse'));
    const posts: number[] = [];
    const choose = ({ verb }: SentRequest): number => {
      if (verb === 'POST') posts.push(1);
      return verb === 'POST' ? 1 : 0;
    };
    await client.connect(new SSEClientTransport(sse, options(choose)));
    expect(JSON.stringify(await client.callTool(TOOLS[era]))).toContain('Ada');
    expect(posts.length).toBeGreaterThan(2);
    await client.close();
  });

  it('judge these messages by the rights that the key has now', async () => {
    const key = 'narrowedKey000000000000000000AB1';
    gateways.addKey(key);
    const client = new Client(INFO);
    const requestInit = { headers: { 'x-gw-api-key': key } };
    const fetch = gateways.fetchBy(({ method }) => (method === 'tools/call' ? 1 : 0));
    const sse = new URL(url().href.replace(/mcp$/, 'sse'));
    await client.connect(new SSEClientTransport(sse, { requestInit, fetch }));
    expect(await client.callTool({ name: 'echo', arguments: { text: 'a' } })).toMatchObject({
      content: [{ text: 'a' }],
    });
    for (const gateway of gateways.all)
      gateway.addKey(key, { id: key, scopes: ['mcp.invoke'], mcp: { tools: ['tools/slow'] } });
    await expect(client.callTool({ name: 'echo', arguments: { text: 'a' } })).rejects.toThrow('Unknown tool');
    await client.close();
  });

  it('continue the call of a modern client at another gateway', async () => {
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    client.setRequestHandler('elicitation/create', () => ANSWER);
    await client.connect(new ModernTransport(url(), options(continuations)));
    const before = fixture.calls.get(TOOLS[era].name) ?? 0;
    expect(JSON.stringify(await client.callTool(TOOLS[era]))).toContain('Ada');
    const rounds = (fixture.calls.get(TOOLS[era].name) ?? 0) - before;
    expect(rounds).toBe(era === 'legacy' ? 1 : 2);
    await client.close();
  });
});

const OTHER_KEY = 'otherKey000000000000000000000AB1';
const FORM = { elicitation: { form: {} } };

describe('calls of several gateways', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let gateways: Gateways;
  let fixture: McpFixture;
  beforeAll(async () => {
    redis = await startRedis();
    fixture = await startMcpFixture({ era: 'legacy' });
  });
  beforeEach(async () => {
    gateways = await Gateways.start(3, redis.url);
    gateways.addKey(OTHER_KEY);
    gateways.save(await serverDocument(fixture.url, 'tools'));
  });
  afterEach(() => gateways.stop());
  afterAll(async () => {
    await fixture.close();
    await redis.stop();
  });

  interface Reply {
    readonly result?: {
      readonly requestState?: string;
      readonly resultType?: string;
      readonly isError?: boolean;
    };
    readonly error?: { readonly code: number };
  }
  const send = async (
    at: number,
    name: string,
    more: object = {},
    { apiKey = gateways.apiKey, args = { message: 'Who?' } }: { apiKey?: string; args?: object } = {},
  ): Promise<Reply> => {
    const params = { name, arguments: args, ...more };
    const request = modernRequest(apiKey, 'tools/call', params, FORM);
    const text = await (await fetch(`${gateways.origin(at)}/main/tools/mcp`, request)).text();
    return JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '')) as Reply;
  };
  const parked = async (at = 0): Promise<string> =>
    (await send(at, 'test_elicitation')).result?.requestState ?? '';
  const retry = (requestState: string) => ({
    requestState,
    inputResponses: { r1: { action: 'accept', content: { response: 'Ada' } } },
  });

  it('continue at any gateway after a wait for input, once', async () => {
    const state = await parked();
    const results = await Promise.all([1, 2, 1, 0].map((at) => send(at, 'test_elicitation', retry(state))));
    const texts = results.map((result) => JSON.stringify(result));
    expect(texts.filter((text) => text.includes('Ada'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('already answered'))).toHaveLength(3);
  });

  it('continue after a wait for input only for their caller, tool and arguments', async () => {
    const state = await parked();
    const attempts = [
      await send(1, 'test_elicitation', retry(state), { apiKey: OTHER_KEY }),
      await send(1, 'test_elicitation', retry(state), { args: { message: 'Other?' } }),
      await send(1, 'test_streaming_elicitation', retry(state)),
      await send(1, 'test_elicitation', retry(`${state.slice(0, -3)}AAA`)),
    ];
    expect(attempts.map(({ error }) => error?.code)).toEqual([-32_602, -32_602, -32_602, -32_602]);
    expect(JSON.stringify(await send(2, 'test_elicitation', retry(state)))).toContain('Ada');
  });

  it('are interrupted when their gateway has died', async () => {
    const state = await parked();
    await gateways.at(0).stop();
    const result = await send(1, 'test_elicitation', retry(state));
    expect(result.result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain('The call was interrupted; call the tool again.');
  });

  it('are cancelled at their server when the client cancels them at another gateway', async () => {
    const before = fixture.cancelled.length;
    const client = await RawSession.open(gateways.origin(0), gateways.apiKey);
    const call = await client.stream(gateways.origin(0), 'tools/call', {
      ...{ name: 'slow', arguments: { ms: 60_000 }, _meta: { progressToken: 'p' } },
    });
    await call.until('notifications/progress');
    await client.send(gateways.origin(1), {
      ...{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    });
    await call.untilEnd();
    await eventually(() => fixture.cancelled.length === before + 1);
  });

  it('are not cancelled or answered by another session', async () => {
    const capabilities = { elicitation: {} };
    const origin = gateways.origin(0);
    const client = await RawSession.open(origin, gateways.apiKey, { capabilities });
    const call = await client.stream(origin, 'tools/call', {
      ...{ name: 'test_elicitation', arguments: { message: 'Who?' } },
    });
    await call.until('elicitation/create');
    const id = call.messages.at(-1)?.['id'];
    const forged = { jsonrpc: '2.0', id, result: { action: 'accept', content: { response: 'Eve' } } };
    const cancels = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    for (const at of [0, 1, 2]) {
      const mine = await RawSession.open(gateways.origin(at), gateways.apiKey, { capabilities });
      const theirs = await RawSession.open(gateways.origin(at), OTHER_KEY, { capabilities });
      for (const body of [forged, cancels])
        for (const each of [mine, theirs])
          expect((await each.send(gateways.origin(at), body)).status).toBe(202);
      expect((await client.as(OTHER_KEY).send(gateways.origin(at), forged)).status).toBe(404);
    }
    const right = { ...forged, result: { action: 'accept', content: { response: 'Ada' } } };
    // A second answer through a third gateway is too late.
    await client.send(gateways.origin(1), right);
    await client.send(gateways.origin(2), forged);
    await call.untilEnd();
    expect(call.text).toContain('Ada');
    expect(call.text).not.toContain('Eve');
  });

  it('get an answer that the client sent to another gateway while Redis was down', async () => {
    const origin = gateways.origin(0);
    const client = await RawSession.open(origin, gateways.apiKey, { capabilities: { elicitation: {} } });
    const call = await client.stream(origin, 'tools/call', {
      ...{ name: 'test_elicitation', arguments: { message: 'Who?' } },
    });
    await call.until('elicitation/create');
    const id = call.messages.at(-1)?.['id'];
    await redis.kill();
    const result = { action: 'accept', content: { response: 'Ada' } };
    const sent = await client.send(gateways.origin(1), { jsonrpc: '2.0', id, result });
    expect(sent.status).toBe(202);
    await redis.start();
    await call.untilEnd();
    expect(call.text).toContain('Ada');
  });

  it('use the log level that the session set at another gateway, and end with the session', async () => {
    const client = await RawSession.open(gateways.origin(0), gateways.apiKey);
    const logged = async (): Promise<boolean> => {
      const call = { name: 'test_tool_with_logging', arguments: {}, _meta: { progressToken: 'p' } };
      const stream = await client.stream(gateways.origin(2), 'tools/call', call);
      await stream.untilEnd();
      return stream.text.includes('notifications/message');
    };
    expect(await logged()).toBe(true);
    await client.request(gateways.origin(1), 'logging/setLevel', { level: 'error' });
    await eventually(async () => !(await logged()));
    await client.request(gateways.origin(0), 'logging/setLevel', { level: 'info' });
    await eventually(logged);
    expect((await client.delete(gateways.origin(1))).status).toBe(204);
    await eventually(async () => {
      const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };
      const sent = [0, 1, 2].map((at) => client.send(gateways.origin(at), ping));
      return (await Promise.all(sent)).every(({ status }) => status === 404);
    });
  });
});
