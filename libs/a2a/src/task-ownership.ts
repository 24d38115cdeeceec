import { A2aError } from './protocol/errors';
import type { TaskState } from './shapes/enums';

/** A caller of an agent. A key of a user acts for the user; another key acts for itself. */
export interface TaskCaller {
  readonly workspaceId: string;
  readonly userId: string | null;
  readonly keyId: string;
}

/** Owner of a task or context: one principal in one workspace. */
export interface TaskOwner {
  readonly workspaceId: string;
  /** `user:` or `key:` and an id. */
  readonly principal: string;
}

/** Task as the gateway stores it. Messages and artifacts stay at the agent. */
export interface TaskRecord {
  readonly agentId: string;
  /** Id of the task at the agent. */
  readonly taskId: string;
  readonly contextId: string | null;
  readonly owner: TaskOwner;
  readonly state: TaskState;
  /** Unix milliseconds. */
  readonly updatedAt: number;
}

/** Returns the owner of tasks and contexts that a caller creates. */
export const ownerOf = ({ workspaceId, userId, keyId }: TaskCaller): TaskOwner => ({
  workspaceId,
  principal: userId === null ? `key:${keyId}` : `user:${userId}`,
});

const isOwner = (owner: TaskOwner, caller: TaskCaller): boolean => {
  const { workspaceId, principal } = ownerOf(caller);
  return owner.workspaceId === workspaceId && owner.principal === principal;
};

/**
 * Returns the record of a task that a caller names. `record` is null for an unknown task; `agentId`
 * is the called agent, null if it was deleted. Throws `A2aError` `taskNotFound` for an unknown task
 * and for a task of another owner or agent, even of an agent that had the same slug, so that
 * callers cannot distinguish these.
 */
export function ownTask(record: TaskRecord | null, agentId: string | null, caller: TaskCaller): TaskRecord {
  if (record === null || record.agentId !== agentId || !isOwner(record.owner, caller))
    throw new A2aError('taskNotFound');
  return record;
}

/** Returns the tasks of an agent that a caller may list. */
export const ownTasks = (
  records: readonly TaskRecord[],
  agentId: string,
  caller: TaskCaller,
): readonly TaskRecord[] =>
  records.filter((record) => record.agentId === agentId && isOwner(record.owner, caller));

/**
 * Returns the context that a message continues at the agent: the one that the client names if the
 * caller owns it, else null, so that the agent starts a new context. `owner` is null for an unknown
 * context.
 */
export const ownContext = (
  contextId: string | null,
  owner: TaskOwner | null,
  caller: TaskCaller,
): string | null => (owner !== null && isOwner(owner, caller) ? contextId : null);

/** A task as the control plane shows it to administrators: without contents. */
export interface TaskMetadata {
  readonly id: string;
  readonly agent_id: string;
  readonly context_id: string | null;
  readonly workspace_id: string;
  readonly principal: string;
  readonly state: TaskState;
  /** RFC 3339. */
  readonly updated_at: string;
}

/** Returns the metadata of a task for the API of the control plane. */
export const taskMetadata = (record: TaskRecord): TaskMetadata => ({
  id: record.taskId,
  agent_id: record.agentId,
  context_id: record.contextId,
  workspace_id: record.owner.workspaceId,
  principal: record.owner.principal,
  state: record.state,
  updated_at: new Date(record.updatedAt).toISOString(),
});
