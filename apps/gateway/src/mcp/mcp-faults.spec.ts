import type { LogRecord } from '@gw/contracts';
import { eventually, modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { CallEnding } from '@gw/mcp-client';
import { ToolGuards } from '../guardrails/tool-guards';
import { budget } from '../limits/spec-support/cent-calls';
import { ToolAccounts } from '../limits/tool-accounts';
import { CallReply } from '../reply/call-reply';
import { GatewayHarness } from '../spec-support/harness';
import { Endpoints } from './endpoints';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { RawSession } from './spec-support/raw-session';

const PRICE = 500;
const bug = (): never => {
  throw new TypeError('a bug of the gateway');
};
const rejects = (): Promise<never> => Promise.reject(new TypeError('a bug of the gateway'));

describe('an exception in the code of an MCP request', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let client: RawSession;
  beforeAll(async () => {
    fixture = await startMcpFixture({ era: 'legacy' });
  });
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, {
      scopes: ['mcp.invoke'],
      usageLimits: [budget({ creditLimit: 10 })],
    });
    saveServer(
      gateway,
      await serverDocument(fixture.url, 'tools', { prices: { default: PRICE, tools: {} } }),
    );
    client = await RawSession.open(origin(), gateway.apiKey);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await gateway.stop();
  });
  afterAll(() => fixture.close());

  const origin = () => `http://127.0.0.1:${String(gateway.port)}`;
  const rpc = (id: number, name: string, args: object, more: object = {}) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: args, ...more },
  });
  const echo = (id = 1) => rpc(id, 'echo', { text: 'x' });
  const INTERNAL = (id: number) => ({ id, error: { code: -32_603, data: { type: 'internal_error' } } });
  const calls = async (): Promise<LogRecord[]> =>
    (await gateway.records()).filter(({ route }) => route === 'mcp.tools.call');
  const record = () => eventually(async () => (await calls()).at(-1));
  const charges = async () => (await record()).decision.charges;
  /** Nothing is in flight, the faults are counted, and the next call is served. */
  const isOver = async (faults = 1): Promise<void> => {
    await eventually(() => gateway.plane.requestsInFlight.isEmpty);
    expect([...gateway.faults.counts.values()]).toEqual([faults, 0]);
    const next = await client.send(origin(), echo(9));
    expect(await next.json()).toMatchObject({ id: 9, result: { content: [{ text: 'x' }] } });
  };

  it('before the server is called is an error that costs nothing', async () => {
    jest.spyOn(ToolGuards.prototype, 'before').mockImplementationOnce(rejects);
    const response = await client.send(origin(), echo());
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL(1)]);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost: null });
    expect(await charges()).toBeUndefined();
    await isOver();
  });

  it('before a result is charged is an error, and the price is charged once as an estimate', async () => {
    jest.spyOn(ToolAccounts.prototype, 'charge').mockImplementationOnce(bug);
    const response = await client.send(origin(), echo());
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL(1)]);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost: PRICE });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE, flags: ['estimated'] }]);
    expect((await charges())?.[0]?.counters).toHaveLength(1);
    await isOver();
  });

  it('after a result is charged is an error, and the charge stays', async () => {
    jest.spyOn(ToolGuards.prototype, 'after').mockImplementationOnce(rejects);
    const response = await client.send(origin(), echo());
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL(1)]);
    expect(await record()).toMatchObject({ outcome: 'failed', cost: PRICE });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE }]);
    await isOver();
  });

  it('while the record is written is an error, and the call is charged once', async () => {
    jest.spyOn(gateway.journal, 'append').mockImplementationOnce(bug);
    const response = await client.send(origin(), echo());
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { type: 'internal_error' } });
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost: PRICE });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE }]);
    await isOver();
  });

  it('while the error is prepared cuts the response', async () => {
    jest.spyOn(ToolGuards.prototype, 'after').mockImplementationOnce(rejects);
    jest.spyOn(CallReply.prototype, 'failed').mockImplementationOnce(bug);
    await expect(client.send(origin(), echo())).rejects.toThrow();
    expect(await record()).toMatchObject({
      outcome: 'interrupted',
      errorType: 'internal_error',
      cost: PRICE,
    });
    await isOver(2);
  });

  it('after the response has become a stream ends the stream with the error', async () => {
    jest.spyOn(ToolGuards.prototype, 'after').mockImplementationOnce(rejects);
    const call = rpc(1, 'slow', { ms: 1 }, { _meta: { progressToken: 'p' } });
    const response = await client.send(origin(), call);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = (await response.text()).split('\n\n').filter((each) => each.includes('data: {'));
    expect(JSON.parse(events.at(-1)?.split('data: ')[1] ?? '')).toMatchObject(INTERNAL(1));
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error' });
    await isOver();
  });

  it('when its client leaves is contained, and the call is charged once as an estimate', async () => {
    const before = fixture.calls.get('slow') ?? 0;
    const slow = { name: 'slow', arguments: { ms: 60_000 } };
    const leaving = new AbortController();
    const call = fetch(`${origin()}/main/tools/mcp`, {
      ...modernRequest(gateway.apiKey, 'tools/call', slow),
      signal: leaving.signal,
    }).catch(() => null);
    await eventually(() => (fixture.calls.get('slow') ?? 0) > before);
    const abort = jest.spyOn(CallEnding.prototype, 'abort').mockImplementation(bug);
    leaving.abort();
    await call;
    expect(await record()).toMatchObject({ outcome: 'client_closed', errorType: 'internal_error' });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE, flags: ['estimated'] }]);
    abort.mockRestore();
    fixture.release();
    await isOver();
  });

  it('in a batch is the error of its own message', async () => {
    jest.spyOn(ToolGuards.prototype, 'before').mockImplementationOnce(rejects);
    const old = await RawSession.open(origin(), gateway.apiKey, { revision: '2025-03-26' });
    const response = await old.send(origin(), [echo(1), echo(2)]);
    expect(await response.json()).toMatchObject([
      INTERNAL(1),
      { id: 2, result: { content: [{ text: 'x' }] } },
    ]);
    await isOver();
  });

  it('in a stream of notifications ends that stream, and no other stream', async () => {
    const other = await RawSession.open(origin(), gateway.apiKey);
    const [broken, goesOn] = [await client.get(origin()), await other.get(origin())];
    const current = jest.spyOn(Endpoints.prototype, 'current').mockImplementationOnce(bug);
    await broken.untilEnd();
    const { length } = current.mock.calls;
    await eventually(() => current.mock.calls.length > length + 1);
    expect(goesOn.isEnded).toBe(false);
    expect([...gateway.faults.counts.values()]).toEqual([1, 0]);
    goesOn.leave();
  });
});
