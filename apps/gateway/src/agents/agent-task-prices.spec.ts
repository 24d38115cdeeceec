import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { StubAgent, task } from './spec-support/stub-agent';

const [PER_MESSAGE, PER_TASK] = [1_000_000, 7_000_000];

describe('prices of tasks', () => {
  let gateway: GatewayHarness;
  let agent: StubAgent;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    agent = await StubAgent.start();
    const prices = { perMessage: PER_MESSAGE, perTask: PER_TASK };
    saveAgent(gateway, agentDocument(agent, 'stub', { prices }));
  });
  afterAll(async () => {
    await agent.close();
    await gateway.stop();
  });

  /** Sends a message to which the agent responds with a task, and returns what the message cost. */
  async function costOf(more: object, taskId: string): Promise<number | null> {
    agent.respond = (call, res) =>
      StubAgent.result(call, res, { task: task(taskId, 'TASK_STATE_INPUT_REQUIRED', 'context') });
    await gateway.takeRecords();
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...more };
    const response = await fetch(`${gateway.baseUrl}/agent/stub`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': gateway.apiKey },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    });
    expect(await response.json()).toHaveProperty('result.task.id', taskId);
    const records = await gateway.records();
    return (records.at(-1)?.decision.charges ?? []).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  }

  it('are charged once for each task, whether a message names the task, its context or neither', async () => {
    expect(await costOf({}, 'first')).toBe(PER_MESSAGE + PER_TASK);
    expect(await costOf({ taskId: 'first', contextId: 'context' }, 'first')).toBe(PER_MESSAGE);
    expect(await costOf({ contextId: 'context' }, 'first')).toBe(PER_MESSAGE);
    expect(await costOf({}, 'first')).toBe(PER_MESSAGE);
  });

  it('are charged for a task that an agent begins for a message about another task', async () => {
    await costOf({}, 'second');
    expect(await costOf({ taskId: 'second', contextId: 'context' }, 'third')).toBe(PER_MESSAGE + PER_TASK);
    expect(await costOf({ taskId: 'third' }, 'third')).toBe(PER_MESSAGE);
  });
});
