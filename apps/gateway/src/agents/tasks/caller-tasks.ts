import { A2aError, ownContext, ownerOf, ownTask, type Members, type TaskRecord } from '@gw/a2a';
import type { AgentView } from '../agent-view';
import type { TaskStore } from './task-store';

/** The ids and the state of a task, as an agent reported them. */
export type ReportedTask = Pick<TaskRecord, 'taskId' | 'contextId' | 'state'>;

/** Maximum number of tasks that one message may refer to. */
const REFERENCES_MAX = 20;

/** The tasks and contexts of callers. For a caller, a task of another caller does not exist. */
export class CallerTasks {
  constructor(
    readonly store: TaskStore,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Returns the record of a task of the caller. Rejects with `A2aError` `taskNotFound` for an
   * unknown task and for a task of another caller.
   */
  async own({ document, taskCaller }: AgentView, taskId: string): Promise<TaskRecord> {
    return ownTask(await this.store.task(document.id, taskId), document.id, taskCaller);
  }

  /**
   * Returns the context that a message continues; null when it is unknown or belongs to another
   * caller, so that the agent begins a new one.
   */
  async ownContext({ document, taskCaller }: AgentView, contextId: string): Promise<string | null> {
    return ownContext(contextId, await this.store.context(document.id, contextId), taskCaller);
  }

  /**
   * Checks that the caller owns the tasks that a message refers to. Rejects with `A2aError`
   * `taskNotFound`, or `invalidParams` for anything but a list of at most `REFERENCES_MAX` ids.
   */
  async checkReferences(view: AgentView, message: Members): Promise<void> {
    const { referenceTaskIds: ids } = message;
    if (ids === undefined || ids === null) return;
    if (!Array.isArray(ids) || ids.length > REFERENCES_MAX || !ids.every((id) => typeof id === 'string'))
      throw new A2aError(
        'invalidParams',
        `message.referenceTaskIds must be a list of at most ${String(REFERENCES_MAX)} ids.`,
      );
    for (const id of new Set(ids as readonly string[])) await this.own(view, id);
  }

  /** Returns the caller's tasks at the agent, most recently changed first, bounded by the store. */
  list({ document, taskCaller }: AgentView): Promise<readonly TaskRecord[]> {
    return this.store.list(document.id, ownerOf(taskCaller));
  }

  /**
   * Stores the state that the agent reported for a task of the caller. Rejects with `A2aError`
   * `invalidAgentResponse` when the agent uses the id of another caller's task, whose contents this
   * caller would otherwise see.
   */
  async note(view: AgentView, task: ReportedTask): Promise<TaskRecord> {
    const { document, taskCaller } = view;
    const owner = ownerOf(taskCaller);
    const record: TaskRecord = { agentId: document.id, owner, ...task, updatedAt: this.now() };
    if (!(await this.store.put(record, document.organisationId))) throw foreignId('task');
    return record;
  }

  /**
   * Returns whether a message owes the price of a stored task, which is charged once. Agents without
   * a price of tasks owe nothing.
   */
  async owesTask({ document }: AgentView, taskId: string): Promise<boolean> {
    const { perTask = 0 } = document.prices ?? {};
    return perTask > 0 && (await this.store.markCharged(document.id, taskId));
  }

  /** Stores a context that the agent began for the caller. Rejects as `note` does. */
  async noteContext({ document, taskCaller }: AgentView, contextId: string): Promise<void> {
    const record = { agentId: document.id, contextId, owner: ownerOf(taskCaller) };
    if (!(await this.store.putContext(record, document.organisationId))) throw foreignId('context');
  }
}

const foreignId = (what: string): A2aError =>
  new A2aError(
    'invalidAgentResponse',
    `The agent responded with the id of a ${what} that it began for another caller.`,
  );

/** Whether a reported task differs from the stored record. */
export const isChange = (known: TaskRecord | null, { taskId, contextId, state }: ReportedTask): boolean =>
  known === null || known.taskId !== taskId || known.contextId !== contextId || known.state !== state;
