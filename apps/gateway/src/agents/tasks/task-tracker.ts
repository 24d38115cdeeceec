import { eventFacts, type EventFacts, type TaskRecord } from '@gw/a2a';
import type { AgentRequest } from '../agent-request';
import { isChange, type CallerTasks, type ReportedTask } from './caller-tasks';

/**
 * Tracks the task of one request: checks its owner, stores its state, and fills the request's log
 * record.
 */
export class TaskTracker {
  /** Whether the request owes the price of a task that the agent began for it. */
  owesTask = false;
  private knownContext: string | null = null;

  constructor(
    private readonly tasks: CallerTasks,
    private readonly request: Pick<AgentRequest, 'view' | 'context'>,
    /** The task that the request is about; null until the agent has created one. */
    private record: TaskRecord | null,
  ) {
    if (record !== null) this.log(record);
  }

  /** The context that the agent reported; null when it has reported none. */
  get contextId(): string | null {
    return this.knownContext;
  }

  /** Whether the task of the request is known. */
  get hasTask(): boolean {
    return this.record !== null;
  }

  /**
   * Tracks a response or an event of A2A 1.0 before the caller receives it. Rejects with `A2aError`
   * `invalidAgentResponse` for one that is malformed or about a task of another caller.
   */
  async track(event: unknown): Promise<EventFacts> {
    const facts = eventFacts(event);
    const { taskId, contextId } = facts;
    if (contextId !== null && contextId !== this.knownContext) {
      await this.tasks.noteContext(this.request.view, contextId);
      this.knownContext = contextId;
    }
    const { agent } = this.request.context;
    // A message response that creates no task may name a task that does not exist.
    const isOfTask = taskId !== null && (facts.kind !== 'message' || this.record !== null);
    if (isOfTask) await this.note(taskId, facts);
    else if (contextId !== null && agent !== null) agent.contextId = contextId;
    return facts;
  }

  private async note(taskId: string, { contextId, state }: EventFacts): Promise<void> {
    const known = this.record?.taskId === taskId ? this.record : null;
    const seen: ReportedTask = {
      taskId,
      contextId: contextId ?? known?.contextId ?? null,
      state: state ?? known?.state ?? 'TASK_STATE_UNSPECIFIED',
    };
    if (isChange(this.record, seen)) {
      this.record = await this.tasks.note(this.request.view, seen);
      if (known === null && !this.owesTask)
        this.owesTask = await this.tasks.owesTask(this.request.view, taskId);
    }
    this.log(seen);
  }

  private log({ taskId, contextId, state }: ReportedTask): void {
    const { agent } = this.request.context;
    if (agent === null) return;
    agent.taskId = taskId;
    agent.contextId = contextId;
    agent.state = state;
  }
}
