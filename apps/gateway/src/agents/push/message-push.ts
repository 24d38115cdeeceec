import type { Members } from '@gw/a2a';

interface MessagePushParts {
  readonly bind: (taskId: string) => Promise<void>;
  readonly drop: () => Promise<void>;
}

/** The notifications that one message wants. */
export class MessagePush {
  private isBound = false;

  constructor(
    /** The config for the agent; null: the agent gets none. */
    readonly outgoing: Members | null,
    /** Null: the task of the message has a registration. */
    private readonly registration: MessagePushParts | null,
  ) {}

  /** The agent said which task the message is about. */
  async seen(taskId: string): Promise<void> {
    if (this.isBound) return;
    this.isBound = true;
    await this.registration?.bind(taskId);
  }

  /** The call of the agent ended. Without a task, there is nothing to notify about. */
  async ended(): Promise<void> {
    if (!this.isBound) await this.registration?.drop();
  }
}
