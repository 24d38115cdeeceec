import type { Redis } from '@gw/redis';
import type { TaskRecord } from '@gw/a2a';
import { LocalTaskStore } from './local-task-store';
import { SharedTaskStore } from './shared-task-store';

const record = (principal: string): TaskRecord => ({
  ...{ agentId: 'agent', taskId: 'task', contextId: 'context', state: 'TASK_STATE_WORKING', updatedAt: 1 },
  owner: { workspaceId: 'workspace', principal },
});

describe('SharedTaskStore', () => {
  it('names no owner whom Redis has refused once Redis cannot be reached', async () => {
    const unreachable = (): Promise<never> => Promise.reject(new Error('unreachable'));
    // Redis has the task and the context for another owner, and cannot be reached afterwards.
    const redis = { eval: () => Promise.resolve(0), hget: unreachable, get: unreachable };
    const store = new SharedTaskStore(redis as unknown as Redis, new LocalTaskStore());
    const { agentId, taskId, owner } = record('key:other');
    expect(await store.put(record('key:other'), 'organisation')).toBe(false);
    expect(await store.putContext({ agentId, contextId: 'context', owner }, 'organisation')).toBe(false);
    await expect(store.task(agentId, taskId)).rejects.toMatchObject({ type: 'unavailable' });
    await expect(store.context(agentId, 'context')).rejects.toMatchObject({ type: 'unavailable' });
  });
});
