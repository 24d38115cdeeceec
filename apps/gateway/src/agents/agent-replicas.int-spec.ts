import { randomBytes } from 'node:crypto';
import { TaskState } from '@a2a-js/sdk';
import type { AgentServerDocument } from '@gw/contracts';
import { HOUR_MS } from '@gw/kernel';
import { eventually, startAgentFixture, withRedis, type AgentFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { sdkClient, taskOf, textMessage } from './spec-support/sdk-client';

const OTHER_KEY = 'otherKey000000000000000000000AB1';

describe('several gateways of the same agents', () => {
  const redis = withRedis();
  let fixture: AgentFixture;
  let gateways: readonly [GatewayHarness, GatewayHarness];
  let document: AgentServerDocument;
  beforeAll(async () => {
    fixture = await startAgentFixture();
    document = agentDocument(fixture, 'helper');
    const master = randomBytes(32);
    const start = () => GatewayHarness.start({ REDIS_URL: redis.url }, null, master);
    gateways = [await start(), await start()];
    for (const gateway of gateways) {
      for (const key of [gateway.apiKey, OTHER_KEY])
        gateway.addKey(key, { id: key, scopes: ['agents.invoke'] });
      saveAgent(gateway, document);
    }
  });
  afterAll(async () => {
    await fixture.close();
    for (const gateway of gateways) await gateway.stop();
  });

  const bothClients = async () =>
    [await sdkClient(gateways[0], 'helper'), await sdkClient(gateways[1], 'helper')] as const;

  it('read, list, continue and cancel a task that another gateway began', async () => {
    const [first, second] = await bothClients();
    // Connections to Redis are opened in the background.
    await eventually(async () => {
      const { id } = taskOf(await first.sendMessage(textMessage('work')));
      return second.getTask({ tenant: '', id, historyLength: 0 }).then(
        () => true,
        () => false,
      );
    });
    const { id: taskId, contextId } = taskOf(await first.sendMessage(textMessage('ask')));
    expect(taskOf(await second.sendMessage(textMessage('ask', { taskId, contextId }))).id).toBe(taskId);
    const query = { tenant: '', contextId, status: 0, pageSize: undefined, pageToken: '' };
    const listed = await second.listTasks({
      ...{ ...query, historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: undefined },
    });
    expect(listed.tasks.map(({ id }) => id)).toEqual([taskId]);
    const events = first.sendMessageStream(textMessage('wait'));
    await events.next();
    await eventually(() => fixture.executor.waitingTasks.length === 1);
    const [waiting = ''] = fixture.executor.waitingTasks;
    const canceled = await second.cancelTask({ tenant: '', id: waiting, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await events.return();
    const stranger = await sdkClient(gateways[1], 'helper', { apiKey: OTHER_KEY });
    await expect(stranger.getTask({ tenant: '', id: taskId, historyLength: 0 })).rejects.toThrow(
      'There is no such task',
    );
  });

  it('limit the messages of a context over all gateways', async () => {
    for (const gateway of gateways)
      saveAgent(gateway, { ...document, limits: { timeoutMs: null, messagesPerContextHour: 4 } });
    const [first, second] = await bothClients();
    const hour = (): number => Math.floor(Date.now() / HOUR_MS);
    const resultsOfAContext = async (): Promise<unknown[]> => {
      const { id: taskId, contextId } = taskOf(await first.sendMessage(textMessage('ask')));
      const results = [];
      for (let index = 0; index < 4; index += 1)
        results.push(
          await [first, second][index % 2]?.sendMessage(textMessage('ask', { taskId, contextId })).then(
            () => 'sent',
            () => 'refused',
          ),
        );
      return results;
    };
    const begun = hour();
    let results = await resultsOfAContext();
    // A new hour allows more messages.
    if (hour() !== begun) results = await resultsOfAContext();
    expect(results).toEqual(['sent', 'sent', 'sent', 'refused']);
    for (const gateway of gateways) saveAgent(gateway, document);
  });

  it('serve their own tasks while Redis is down, and report that they cannot know other tasks', async () => {
    const [first, second] = await bothClients();
    const { id } = taskOf(await first.sendMessage(textMessage('work')));
    await redis.kill();
    expect((await first.getTask({ tenant: '', id, historyLength: 0 })).id).toBe(id);
    await expect(second.getTask({ tenant: '', id, historyLength: 0 })).rejects.toThrow(
      'cannot be determined right now',
    );
    const begun = taskOf(await second.sendMessage(textMessage('work')));
    expect((await second.getTask({ tenant: '', id: begun.id, historyLength: 0 })).id).toBe(begun.id);
  });
});
