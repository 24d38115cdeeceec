import { Role, TaskState, type Message, type Part } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { randomUUID } from 'node:crypto';

const part = (text: string): Part => ({
  content: { $case: 'text', value: text },
  ...{ metadata: undefined, filename: '', mediaType: '' },
});

const textOf = ({ parts }: Message): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(' ');

/** Final states of tasks, by command. */
const ENDS: Readonly<Record<string, TaskState>> = {
  ask: TaskState.TASK_STATE_INPUT_REQUIRED,
  login: TaskState.TASK_STATE_AUTH_REQUIRED,
  fail: TaskState.TASK_STATE_FAILED,
  reject: TaskState.TASK_STATE_REJECTED,
};

/**
 * Executes the command in the first word of a message. `say <text>` responds with a message; `work
 * <text>` starts a task with the text as its artifact; `ask`, `login`, `fail` and `reject` start a
 * task that reaches that state; `wait` starts a task that works until `release` or its
 * cancellation.
 */
export class FixtureExecutor implements AgentExecutor {
  /** Texts of the executed messages. */
  readonly executed: string[] = [];
  private readonly waiting = new Map<string, (isCanceled: boolean) => void>();

  /** Ids of the tasks that are waiting. */
  get waitingTasks(): readonly string[] {
    return [...this.waiting.keys()];
  }

  /** Completes all waiting tasks. */
  release(): void {
    for (const done of this.waiting.values()) done(false);
  }

  async execute(
    { userMessage, taskId, contextId, task }: RequestContext,
    bus: ExecutionEventBus,
  ): Promise<void> {
    const text = textOf(userMessage);
    this.executed.push(text);
    const [command = '', ...words] = text.split(' ');
    const ids = { taskId, contextId };
    if (command === 'say' && task === undefined) {
      bus.publish(AgentEvent.message(reply(ids, words.join(' '))));
      bus.finished();
      return;
    }
    if (task === undefined)
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: statusOf(TaskState.TASK_STATE_SUBMITTED),
          ...{ artifacts: [], history: [userMessage], metadata: undefined },
        }),
      );
    this.update(bus, ids, TaskState.TASK_STATE_WORKING);
    if (command === 'wait' && (await this.waitForEnd(taskId))) {
      this.update(bus, ids, TaskState.TASK_STATE_CANCELED);
      bus.finished();
      return;
    }
    const end = ENDS[command] ?? TaskState.TASK_STATE_COMPLETED;
    if (end === TaskState.TASK_STATE_COMPLETED)
      bus.publish(
        AgentEvent.artifactUpdate({
          ...ids,
          artifact: {
            ...{ artifactId: 'result', name: 'result', description: '', parts: [part(words.join(' '))] },
            ...{ metadata: undefined, extensions: [] },
          },
          ...{ append: false, lastChunk: true, metadata: undefined },
        }),
      );
    this.update(bus, ids, end, command === 'ask' ? reply(ids, 'What now?') : undefined);
    bus.finished();
  }

  cancelTask(taskId: string): Promise<void> {
    this.waiting.get(taskId)?.(true);
    return Promise.resolve();
  }

  private waitForEnd(taskId: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiting.set(taskId, (isCanceled) => {
        this.waiting.delete(taskId);
        resolve(isCanceled);
      });
    });
  }

  private update(
    bus: ExecutionEventBus,
    ids: { readonly taskId: string; readonly contextId: string },
    state: TaskState,
    message?: Message,
  ): void {
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: statusOf(state, message), metadata: undefined }));
  }
}

const statusOf = (state: TaskState, message?: Message) => ({
  ...{ state, message, timestamp: new Date().toISOString() },
});

const reply = ({ taskId, contextId }: { taskId: string; contextId: string }, text: string): Message => ({
  ...{ messageId: randomUUID(), contextId, taskId, role: Role.ROLE_AGENT, parts: [part(text)] },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
});
