import type { TaskOwner, TaskRecord } from '@gw/a2a';
import { DAY_MS, GatewayError, type Tenant } from '@gw/kernel';

/** Milliseconds for which tasks and contexts are stored after their last change. */
export const TASK_TTL_MS = 7 * DAY_MS;
/** Maximum number of tasks of one owner at one agent; beyond it, the oldest are removed. */
export const OWNER_TASKS_MAX = 1_000;

/** A context of an agent, and the owner for whom it began. */
export interface ContextRecord {
  readonly agentId: string;
  readonly contextId: string;
  readonly owner: TaskOwner;
}

/**
 * Stores the owners of agents' tasks and contexts. The methods reject with `unavailable` when the
 * owner cannot be determined. A task that is not found was never stored, has expired, or was
 * removed because its owner or workspace exceeded a maximum.
 */
export interface TaskStore {
  task(agentId: string, taskId: string): Promise<TaskRecord | null>;
  /** Stores a task. Resolves to false, and stores nothing, when another owner has its id. */
  put(record: TaskRecord, organisationId: string): Promise<boolean>;
  /**
   * Marks a stored task as charged. Resolves to false when it already was, so that the price of a
   * task is charged once.
   */
  markCharged(agentId: string, taskId: string): Promise<boolean>;
  context(agentId: string, contextId: string): Promise<TaskOwner | null>;
  /** Stores a context. Resolves to false, and stores nothing, when another owner has its id. */
  putContext(record: ContextRecord, organisationId: string): Promise<boolean>;
  /**
   * Returns the tasks of an owner at an agent, most recently changed first; at most
   * `OWNER_TASKS_MAX`.
   */
  list(agentId: string, owner: TaskOwner): Promise<readonly TaskRecord[]>;
  /**
   * Counts a message of a context. Resolves to the number of messages in the current hour,
   * including this one.
   */
  countMessage(agentId: string, contextId: string): Promise<number>;
  close(): void;
}

/** Returns the current hour as the number of hours since 1970. */
export const hourOf = (nowMs: number): number => Math.floor(nowMs / 3_600_000);

export const ownersOf = ({ workspaceId }: TaskOwner, organisationId: string): Tenant => ({
  workspaceId,
  organisationId,
});

export const isSameOwner = (a: TaskOwner, b: TaskOwner): boolean =>
  a.workspaceId === b.workspaceId && a.principal === b.principal;

export const ownerUnknown = (cause: unknown): GatewayError =>
  new GatewayError('unavailable', {
    message: 'The owner of the task or context cannot be determined right now; try again.',
    headers: { 'retry-after': '5' },
    cause,
  });
