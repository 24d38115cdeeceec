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
  beforeEach(async () => {
    [started, hasRoom] = [[], true];
    const store = new LocalPushStore();
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
});
