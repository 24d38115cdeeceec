import { randomBytes } from 'node:crypto';
import { createAddressPolicy, sealingKeyring } from '@gw/kernel';
import type { TaskRecord } from '@gw/a2a';
import type { AgentRequest } from '../agent-request';
import { LocalPushStore } from './local-push-store';
import { PushConfigs, type PushConfigParts } from './push-configs';
import { pushRules } from './push-rules';
import type { PushRecord } from './push-store';

const owner = { workspaceId: 'workspace', principal: 'key:k' };
const record: PushRecord = {
  ...{ id: 'r', agentId: 'agent', agent: 'stub', organisationId: 'organisation', owner },
  ...{ caller: null, version: '1.0', tokenHash: '' },
};
const task: TaskRecord = {
  ...{ agentId: 'agent', taskId: 't', contextId: null, owner, updatedAt: 1 },
  state: 'TASK_STATE_INPUT_REQUIRED',
};

describe('PushConfigs of an agent that is polled', () => {
  const config = { url: 'https://hooks.example.com/a' };
  const request = {
    call: { version: '1.0', params10: { configuration: { taskPushNotificationConfig: config } } },
    view: { abilities: { push: 'emulate' } },
  } as unknown as AgentRequest;
  let started: string[];
  let hasRoom: boolean;
  let configs: PushConfigs;
  let store: LocalPushStore;
  beforeEach(async () => {
    [started, hasRoom] = [[], true];
    store = new LocalPushStore();
    await store.put(record);
    await store.bind(record, 't');
    configs = new PushConfigs({
      ...{ store, ring: sealingKeyring(randomBytes(32)), publicUrl: 'https://gateway.example' },
      rules: pushRules(createAddressPolicy({ trustedHosts: [] }), null, []),
      pollers: {
        start: (_record: PushRecord, taskId: string) => {
          started.push(taskId);
          return Promise.resolve(hasRoom);
        },
      },
      principals: { rightOf: () => null },
      tasks: { own: (_view: unknown, taskId: string) => Promise.resolve({ ...task, taskId }) },
    } as unknown as PushConfigParts);
  });

  it('polls a task again whose polling has ended, when a message continues it with a config', async () => {
    await configs.ofMessage(request, task);
    expect(started).toEqual(['t']);
  });

  it('refuses the message when too many tasks of the workspace are polled', async () => {
    hasRoom = false;
    await expect(configs.ofMessage(request, task)).rejects.toMatchObject({ type: 'unavailable' });
  });

  it('stores configs that are created at the same time under one registration', async () => {
    const document = {
      id: 'agent',
      slug: 'stub',
      organisationId: 'organisation',
      endpoint: { version: '1.0' },
    };
    const created = ['a', 'b'].map((id) => {
      const call = {
        operation: 'createPushConfig',
        version: '1.0',
        params10: { ...config, id, taskId: 'new' },
      };
      const caller = { principal: { key: { id: 'k' } }, access: {} };
      const taskCaller = { workspaceId: 'workspace', userId: null, keyId: 'k' };
      return configs.run({
        ...{ call, view: { ...request.view, document, taskCaller, caller } },
        ...{
          form: { result: () => ({ json: '', status: 200, headers: {} }) },
          reply: { end: () => undefined },
        },
      } as unknown as AgentRequest);
    });
    await Promise.all(created);
    const push = await store.ofTask({ ...task, taskId: 'new' });
    const stored = push === null ? [] : await store.configs(push.record);
    expect(stored.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });
});
