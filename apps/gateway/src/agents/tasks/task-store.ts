import type { TaskOwner, TaskRecord } from '@gw/a2a';
import { DAY_MS, GatewayError, type Tenant } from '@gw/kernel';

/** Tasks and contexts are known for this long after their last change. */
export const TASK_TTL_MS = 7 * DAY_MS;
/** Tasks of one owner at one agent; the oldest are forgotten. */
export const OWNER_TASKS_MAX = 1_000;

/** A context of an agent, and who began it. */
export interface ContextRecord {
  readonly agentId: string;
  readonly contextId: string;
  readonly owner: TaskOwner;
}

/**
 * Owners of agents' tasks and contexts, for all callers. The methods throw `unavailable` when the
 * owner cannot be determined; a task that is not found belongs to another caller or has expired.
 */
export interface TaskStore {
  task(agentId: string, taskId: string): Promise<TaskRecord | null>;
  /** Stores a task. False: another owner has its id, and nothing was stored. */
  put(record: TaskRecord, organisationId: string): Promise<boolean>;
  context(agentId: string, contextId: string): Promise<TaskOwner | null>;
  /** Stores a context. False: another owner has its id, and nothing was stored. */
  putContext(record: ContextRecord, organisationId: string): Promise<boolean>;
  /** The tasks of an owner at an agent, those that changed last first, at most `OWNER_TASKS_MAX`. */
  list(agentId: string, owner: TaskOwner): Promise<readonly TaskRecord[]>;
  /** Counts a message of a context. Returns the number in the current hour, this one included. */
  countMessage(agentId: string, contextId: string): Promise<number>;
  close(): void;
}

/** The start of the current hour, in Unix hours. */
export const hourOf = (nowMs: number): number => Math.floor(nowMs / 3_600_000);

export const ownersOf = ({ workspaceId }: TaskOwner, organisationId: string): Tenant => ({
  workspaceId,
  organisationId,
});

export const isSameOwner = (a: TaskOwner, b: TaskOwner): boolean =>
  a.workspaceId === b.workspaceId && a.principal === b.principal;

export const tasksUnknown = (cause: unknown): GatewayError =>
  new GatewayError('unavailable', {
    message: 'Whose task this is cannot be checked right now; try again.',
    headers: { 'retry-after': '5' },
    cause,
  });
