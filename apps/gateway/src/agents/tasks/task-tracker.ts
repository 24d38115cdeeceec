import { eventFacts, type EventFacts, type TaskRecord } from '@gw/a2a';
import type { AgentRequest } from '../agent-request';
import { isChange, type CallerTasks, type SeenTask } from './caller-tasks';

/** Follows the task of one request: who owns it, its state, and what the log says about it. */
export class TaskTracker {
  /** Whether the agent began a task. */
  hasNewTask = false;
  private knownContext: string | null = null;

  constructor(
    private readonly tasks: CallerTasks,
    private readonly request: Pick<AgentRequest, 'view' | 'context'>,
    /** The task that the request is about; null before the agent began one. */
    private record: TaskRecord | null,
  ) {
    if (record !== null) this.log(record);
  }

  /** Whether it is known which task the request is about. */
  get hasTask(): boolean {
    return this.record !== null;
  }

  /**
   * Notes a response or an event of A2A 1.0 before the caller gets it. Throws `A2aError` `invalidAgentResponse` for one that is
   * malformed or about a task of another caller.
   */
  async see(event: unknown): Promise<EventFacts> {
    const facts = eventFacts(event);
    const { taskId, contextId } = facts;
    if (contextId !== null && contextId !== this.knownContext) {
      await this.tasks.noteContext(this.request.view, contextId);
      this.knownContext = contextId;
    }
    const { agent } = this.request.context;
    // A message that begins no task may name one that does not exist.
    const isOfTask = taskId !== null && (facts.kind !== 'message' || this.record !== null);
    if (isOfTask) await this.note(taskId, facts);
    else if (contextId !== null && agent !== null) agent.contextId = contextId;
    return facts;
  }

  private async note(taskId: string, { contextId, state }: EventFacts): Promise<void> {
    const known = this.record?.taskId === taskId ? this.record : null;
    const seen: SeenTask = {
      taskId,
      contextId: contextId ?? known?.contextId ?? null,
      state: state ?? known?.state ?? 'TASK_STATE_UNSPECIFIED',
    };
    if (isChange(this.record, seen)) {
      if (this.record === null) this.hasNewTask = true;
      this.record = await this.tasks.note(this.request.view, seen);
    }
    this.log(seen);
  }

  private log({ taskId, contextId, state }: SeenTask): void {
    const { agent } = this.request.context;
    if (agent === null) return;
    agent.taskId = taskId;
    agent.contextId = contextId;
    agent.state = state;
  }
}
