import { TaskState, type StreamResponse, type Task } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { eventually, startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { sdkClient, taskOf, textMessage, textOf } from './spec-support/sdk-client';

const FORMS = (['1.0', '0.3'] as const).flatMap((version) =>
  (['JSONRPC', 'HTTP+JSON'] as const).map((binding) => ({ version, binding })),
);
const PAIRS = FORMS.flatMap((client) => FORMS.map((agent) => ({ client, agent })));
const nameOf = ({ version, binding }: (typeof FORMS)[number]): string => `${binding} ${version}`;
const SLUGS = new Map(FORMS.map((form, index) => [nameOf(form), `agent-${String(index)}`]));

const {
  TASK_STATE_AUTH_REQUIRED,
  TASK_STATE_CANCELED,
  TASK_STATE_COMPLETED,
  TASK_STATE_FAILED,
  TASK_STATE_INPUT_REQUIRED,
  TASK_STATE_REJECTED,
  TASK_STATE_WORKING,
} = TaskState;

async function collected(events: AsyncGenerator<StreamResponse, void>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const stateOf = ({ payload }: StreamResponse): TaskState | undefined =>
  payload?.$case === 'task' || payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;

describe('both versions and bindings of A2A on both sides [A2A-01]', () => {
  let gateway: GatewayHarness;
  let fixture: AgentFixture;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    fixture = await startAgentFixture();
    for (const form of FORMS)
      saveAgent(gateway, agentDocument(fixture, SLUGS.get(nameOf(form)) ?? '', {}, form));
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  describe.each(PAIRS.map((pair) => [nameOf(pair.client), nameOf(pair.agent), pair] as const))(
    'a client of %s at an agent of %s',
    (_client, _agent, pair) => {
      let client: Client;
      beforeAll(async () => {
        client = await sdkClient(gateway, SLUGS.get(nameOf(pair.agent)) ?? '', pair.client);
      });
      const send = async (text: string, message = {}): Promise<Task> =>
        taskOf(await client.sendMessage(textMessage(text, message)));
      /** Begins a task that works until it is released or canceled. */
      const waiting = async (): Promise<Task> => {
        const events = client.sendMessageStream(textMessage('wait for it'));
        const first = await events.next();
        await events.return();
        const { payload } = first.value as StreamResponse;
        if (payload?.$case !== 'task') throw new Error('The stream does not begin with the task.');
        const { id } = payload.value;
        await eventually(() => fixture.executor.waitingTasks.includes(id));
        return payload.value;
      };

      it('relays messages, and tasks in every state that a message can lead to', async () => {
        expect(textOf(await client.sendMessage(textMessage('say hello')))).toBe('hello');
        const worked = await send('work on it');
        expect([worked.status?.state, textOf(worked)]).toEqual([TASK_STATE_COMPLETED, 'on it']);
        const states = [];
        for (const text of ['fail', 'reject', 'login', 'ask']) states.push((await send(text)).status?.state);
        expect(states).toEqual([
          ...[TASK_STATE_FAILED, TASK_STATE_REJECTED, TASK_STATE_AUTH_REQUIRED, TASK_STATE_INPUT_REQUIRED],
        ]);
      });

      it('continues a task that requires input, and reads it afterwards', async () => {
        const { id: taskId, contextId, status } = await send('ask');
        expect(status?.message?.parts[0]?.content).toEqual({ $case: 'text', value: 'What now?' });
        const done = await send('work it out', { taskId, contextId });
        expect([done.id, done.contextId, done.status?.state]).toEqual([
          taskId,
          contextId,
          TASK_STATE_COMPLETED,
        ]);
        const read = await client.getTask({ tenant: '', id: taskId, historyLength: 5 });
        expect([read.id, read.status?.state, textOf(read)]).toEqual([taskId, TASK_STATE_COMPLETED, 'it out']);
      });

      it('streams a task event by event, and ends the stream with it', async () => {
        const events = await collected(client.sendMessageStream(textMessage('work hard')));
        expect(events.map(({ payload }) => payload?.$case)).toEqual([
          ...['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate'],
        ]);
        expect(events.map(stateOf).slice(1)).toEqual([TASK_STATE_WORKING, undefined, TASK_STATE_COMPLETED]);
      });

      it('cancels a task whose client left its stream, which did not cancel it', async () => {
        const { id } = await waiting();
        expect((await client.getTask({ tenant: '', id, historyLength: 0 })).status?.state).toBe(
          TASK_STATE_WORKING,
        );
        const canceled = await client.cancelTask({ tenant: '', id, metadata: undefined });
        expect(canceled.status?.state).toBe(TASK_STATE_CANCELED);
      });

      it('lets a client resubscribe to the stream of its task', async () => {
        const { id } = await waiting();
        const events = client.resubscribeTask({ tenant: '', id });
        const first = await events.next();
        expect((first.value as StreamResponse).payload?.$case).toBe('task');
        fixture.executor.release();
        expect((await collected(events)).map(stateOf).at(-1)).toBe(TASK_STATE_COMPLETED);
      });
    },
  );
});
