import {
  A2aError,
  ownContext,
  ownerOf,
  ownTask,
  ownTasks,
  taskMetadata,
  type TaskCaller,
  type TaskRecord,
} from './index';
import { vectors } from './spec-support/vectors';

interface OwnershipCase {
  readonly input: { readonly case: string };
  readonly expect: string | number;
}

const OWNER: TaskCaller = { workspaceId: 'w', userId: 'u', keyId: 'k1' };
const OTHERS: readonly TaskCaller[] = [
  { ...OWNER, userId: 'other' },
  { ...OWNER, userId: null },
  { ...OWNER, workspaceId: 'other' },
];
const RECORD: TaskRecord = {
  agentId: 'agent',
  taskId: 't',
  contextId: 'c',
  owner: ownerOf(OWNER),
  state: 'TASK_STATE_WORKING',
  updatedAt: 0,
};

/** Returns what a caller gets for a task: `task`, or the error kind or status. */
function seen(caller: TaskCaller, agentId: string | null = 'agent'): string | number {
  try {
    ownTask(RECORD, agentId, caller);
    return 'task';
  } catch (error) {
    if (!(error instanceof A2aError) || error.kind !== 'taskNotFound') throw error;
    return agentId === null ? error.status : 'TaskNotFound';
  }
}

const callersOf = (text: string): readonly TaskCaller[] => {
  if (/another key/.test(text)) return [{ ...OWNER, keyId: 'k2' }];
  return /^owner|deleted/.test(text) ? [OWNER] : OTHERS;
};

/** Returns what a caller gets in a case. */
function outcomeOf(text: string, caller: TaskCaller): string | number {
  if (/^list/.test(text)) return ownTasks([RECORD], 'agent', caller).length === 0 ? 'empty' : 'tasks';
  if (/contextId/.test(text))
    return ownContext('c', RECORD.owner, caller) === null ? 'new context upstream' : 'context of the owner';
  if (/control plane/.test(text)) {
    const record = { ...RECORD, history: ['secret'], artifacts: ['secret'] };
    return JSON.stringify(taskMetadata(record)).includes('secret') ? 'contents' : 'metadata only';
  }
  return seen(caller, /deleted/.test(text) ? null : 'agent');
}

describe('ownTask, ownTasks and ownContext', () => {
  it.each(vectors<OwnershipCase>('ownership'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const outcomes = typeof wanted === 'number' ? [wanted] : wanted.split(' or ');
    for (const caller of callersOf(input.case)) expect(outcomes).toContain(outcomeOf(input.case, caller));
  });

  it('continue a context and list tasks only for the owner', () => {
    expect(ownContext('c', RECORD.owner, OWNER)).toBe('c');
    expect(ownContext('c', null, OWNER)).toBeNull();
    expect(ownTasks([RECORD], 'agent', OWNER)).toEqual([RECORD]);
    expect(ownTasks([RECORD], 'another agent', OWNER)).toEqual([]);
  });
});
