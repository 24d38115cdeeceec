import type { LogRecord } from '@gw/contracts';
import { eventually } from '@gw/testing';
import { RequestContext } from '../core/request-context';
import { budget } from '../limits/spec-support/cent-calls';
import { ToolAccounts } from '../limits/tool-accounts';
import { CallReply } from '../reply/call-reply';
import { GatewayHarness } from '../spec-support/harness';
import { AgentGuards } from './agent-guards';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { message, StubAgent, task } from './spec-support/stub-agent';

const PRICE = 500;
const bug = (): never => {
  throw new TypeError('a bug of the gateway');
};
const rejects = (): Promise<never> => Promise.reject(new TypeError('a bug of the gateway'));
const INTERNAL = { id: 1, error: { code: -32_603 } };

describe('an exception in the code of a request to an agent', () => {
  let gateway: GatewayHarness;
  let agent: StubAgent;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    agent = await StubAgent.start();
    gateway.addKey(gateway.apiKey, {
      scopes: ['agents.invoke'],
      usageLimits: [budget({ creditLimit: 10 })],
    });
    saveAgent(gateway, agentDocument(agent, 'stub', { prices: { perMessage: PRICE, perTask: 0 } }));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await agent.close();
    await gateway.stop();
  });

  const send = (method = 'SendMessage', signal: AbortSignal | null = null) =>
    fetch(`${gateway.baseUrl}/agent/stub`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'a2a-version': '1.0' },
        'x-gw-api-key': gateway.apiKey,
      },
      signal,
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method },
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
      }),
    });
  const record = (): Promise<LogRecord> => eventually(async () => (await gateway.records()).at(-1));
  const charges = async () => (await record()).decision.charges;
  /** Nothing is in flight, the faults are counted, and the next message is served. */
  const isOver = async (faults = 1): Promise<void> => {
    await eventually(() => gateway.plane.requestsInFlight.isEmpty);
    expect([...gateway.faults.counts.values()]).toEqual([faults, 0]);
    agent.respond = (call, res) => StubAgent.result(call, res, { message: message('hello') });
    expect(await (await send()).json()).toMatchObject({ id: 1, result: { message: { parts: [{}] } } });
  };

  it('before the agent is called is an error that costs nothing', async () => {
    jest.spyOn(AgentGuards.prototype, 'before').mockImplementationOnce(rejects);
    const response = await send();
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost: null });
    await isOver();
  });

  it('before a response is charged is an error, and the price is charged once as an estimate', async () => {
    jest.spyOn(ToolAccounts.prototype, 'charge').mockImplementationOnce(bug);
    const response = await send();
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost: PRICE });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE, flags: ['estimated'] }]);
    expect((await charges())?.[0]?.counters).toHaveLength(1);
    await isOver();
  });

  it('after a response is charged is an error, and the charge stays', async () => {
    jest.spyOn(AgentGuards.prototype, 'after').mockImplementationOnce(rejects);
    const response = await send();
    expect([response.status, await response.json()]).toMatchObject([500, INTERNAL]);
    expect(await record()).toMatchObject({ outcome: 'failed', cost: PRICE });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE }]);
    await isOver();
  });

  it('while the record is written is an error, and the message is charged once', async () => {
    jest.spyOn(gateway.journal, 'append').mockImplementationOnce(bug);
    expect((await send()).status).toBe(500);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost: PRICE });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE }]);
    await isOver();
  });

  it('while the error is prepared cuts the response', async () => {
    jest.spyOn(AgentGuards.prototype, 'after').mockImplementationOnce(rejects);
    jest.spyOn(CallReply.prototype, 'failed').mockImplementationOnce(bug);
    await expect(send()).rejects.toThrow();
    expect(await record()).toMatchObject({
      outcome: 'interrupted',
      errorType: 'internal_error',
      cost: PRICE,
    });
    await isOver(2);
  });

  it('while an event is sent ends the stream with the error', async () => {
    const update = (state: string): object => ({
      statusUpdate: { taskId: 't', contextId: 'context-of-t', status: { state } },
    });
    agent.respond = (call, res) => {
      const event = StubAgent.stream(call, res);
      event({ task: task('t', 'TASK_STATE_WORKING') });
      event(update('TASK_STATE_WORKING'));
      event(update('TASK_STATE_WORKING'));
    };
    const eventOf = CallReply.prototype.event;
    let events = 0;
    jest.spyOn(CallReply.prototype, 'event').mockImplementation(function (this: CallReply, json) {
      if ((events += 1) === 2) bug();
      eventOf.call(this, json);
    });
    const response = await send('SendStreamingMessage');
    const text = await response.text();
    const datas = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
    expect(JSON.parse(datas.at(-1) ?? '')).toMatchObject(INTERNAL);
    expect(await record()).toMatchObject({ outcome: 'failed', errorType: 'internal_error', cost: PRICE });
    await isOver();
  });

  it('when its client leaves is contained, and the message is charged once', async () => {
    let goOn = (): void => undefined;
    agent.respond = (call, res) => {
      goOn = () => StubAgent.result(call, res, { message: message('late') });
    };
    const leaving = new AbortController();
    const sent = send('SendMessage', leaving.signal).catch(() => null);
    await eventually(() => agent.calls.length === 1);
    jest.spyOn(CallReply.prototype, 'leave').mockImplementationOnce(bug);
    const abandon = jest.spyOn(RequestContext.prototype, 'abandon');
    leaving.abort();
    await sent;
    await eventually(() => abandon.mock.calls.length > 0);
    goOn();
    expect(await record()).toMatchObject({ outcome: 'client_closed', errorType: 'internal_error' });
    expect(await charges()).toMatchObject([{ line: 'tool', cost: PRICE }]);
    await isOver();
  });
});
