import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { eventually, startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { message, StubAgent, task } from './spec-support/stub-agent';

const QUIET_KEY = 'quietKey000000000000000000000AB1';
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
type Answer = (res: ServerResponse, id: unknown) => void;

const sends =
  (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Answer =>
  (res) => {
    res.writeHead(200, headers).end(body);
  };
const result = (id: unknown, value: unknown = { message: message('hello') }): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: value });

describe('a hostile agent of one workspace', () => {
  let gateway: GatewayHarness;
  let agent: StubAgent;
  let good: AgentFixture;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    gateway.addKey(QUIET_KEY, { id: QUIET_KEY, workspaceId: OTHER_WORKSPACE_ID, scopes: ['agents.invoke'] });
    good = await startAgentFixture();
    agent = await StubAgent.start();
    saveAgent(gateway, agentDocument(good, 'good', { workspaceId: OTHER_WORKSPACE_ID }));
    const limits = { timeoutMs: 2_000, messagesPerContextHour: null };
    saveAgent(gateway, agentDocument(agent, 'stub', { limits }));
  });
  afterAll(async () => {
    await agent.close();
    await good.close();
    await gateway.stop();
  });

  const send = async (apiKey: string, slug: string, method: string): Promise<string> => {
    const response = await fetch(`${gateway.baseUrl}/agent/${slug}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'a2a-version': '1.0', 'x-gw-api-key': apiKey },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method },
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say calm' }] } },
      }),
    });
    return response.text();
  };
  /** Returns the last JSON-RPC message that the caller of the hostile agent gets. */
  async function called(by: Answer, method = 'SendMessage'): Promise<object> {
    agent.respond = ({ id }, res) => by(res, id);
    const text = await send(gateway.apiKey, 'stub', method);
    return JSON.parse(text.split('data: ').at(-1) ?? '') as object;
  }
  /** Nothing is left of the calls, none was a fault, and the other workspace is served. */
  async function isOver(): Promise<void> {
    await eventually(() => gateway.plane.requestsInFlight.isEmpty);
    expect([...gateway.faults.counts.values()]).toEqual([0, 0]);
    expect(await send(QUIET_KEY, 'good', 'SendMessage')).toContain('calm');
  }

  const METHODS = ['SendMessage', 'SendStreamingMessage'];
  it.each<[string, Answer]>([
    ...[null, true, 'x', -1, 1e300, [], {}].map((id): [string, Answer] => [
      `the id ${JSON.stringify(id)}`,
      sends(result(id)),
    ]),
    ['no body', sends('')],
    ['no JSON', sends('{"jsonrpc":')],
    ['a scalar', sends('7')],
    ['a list', sends('[]')],
    ['bytes that are no UTF-8', sends(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
    ['deep nesting', sends(`{"jsonrpc":"2.0","id":1,"result":${'['.repeat(50_000)}`)],
    ['no result', (res, id) => sends(JSON.stringify({ jsonrpc: '2.0', id }))(res, id)],
    ['a result that is a list', (res, id) => sends(result(id, []))(res, id)],
    ['a message that is a text', (res, id) => sends(result(id, { message: 'x' }))(res, id)],
    [
      'an error that is a text',
      (res, id) => sends(JSON.stringify({ jsonrpc: '2.0', id, error: 'no' }))(res, id),
    ],
    ['a page', sends('<html>', { 'content-type': 'text/html' })],
    ['a stream without events', sends('', EVENTS)],
    ['a stream of a response to another call', sends(`data: ${result(99)}\n\n`, EVENTS)],
    [
      'a compressed bomb',
      sends(gzipSync(Buffer.alloc(64 * 1_048_576)), { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    ],
    ['a redirect', (res) => void res.writeHead(307, { location: 'http://169.254.169.254/' }).end()],
    ['a closed connection', (res) => void res.destroy()],
    ['headers of 32 KiB', sends('{}', { ...JSON_TYPE, 'x-large': 'x'.repeat(32_768) })],
    ['an event of 9 MiB without an end', sends(`data: ${'x'.repeat(9 * 1_048_576)}`, EVENTS)],
  ])('fails its own call with %s', async (_what, by) => {
    for (const method of METHODS) expect(await called(by, method)).toHaveProperty('error.code');
    await isOver();
  });

  it.each([
    ['JSON', (id: unknown) => result(id), JSON_TYPE, 'SendMessage'],
    ['events', (id: unknown) => `data: ${result(id)}\n\n`, EVENTS, 'SendStreamingMessage'],
  ] as const)('ends each call whose %s closes early', async (_what, textOf, headers, method) => {
    const whole = textOf(1);
    for (let length = 0; length < whole.length; length += 11) {
      const by: Answer = (res, id) => {
        res.writeHead(200, headers);
        res.write(textOf(id).slice(0, length), () => res.destroy());
      };
      expect(await called(by, method)).toHaveProperty('jsonrpc', '2.0');
    }
    await isOver();
  });

  it('has events after the end of its task dropped', async () => {
    const limits = { timeoutMs: 60_000, messagesPerContextHour: null };
    saveAgent(gateway, agentDocument(agent, 'stub', { limits }));
    const ended: Answer = (res, id) => {
      res.writeHead(200, EVENTS);
      const event = `data: ${result(id, { task: task('t', 'TASK_STATE_COMPLETED') })}\n\n`;
      res.write(event + event + `data: ${result(id, 7)}\n\ndata: nothing\n\n`);
    };
    expect(await called(ended, 'SendStreamingMessage')).toMatchObject({ result: { task: { id: 't' } } });
    await isOver();
  });
});
