import type { Members } from '@gw/a2a';

interface MessagePushParts {
  readonly bind: (taskId: string) => Promise<void>;
  readonly drop: () => Promise<void>;
}

/** The notifications that one message requests. */
export class MessagePush {
  private isBound = false;

  constructor(
    /** The config that the agent receives; null when it receives none. */
    readonly outgoing: Members | null,
    /** The new registration of the message; null when its task already has one. */
    private readonly registration: MessagePushParts | null,
  ) {}

  /** Binds the registration to the task that the agent reported for the message. */
  async bindTo(taskId: string): Promise<void> {
    if (this.isBound) return;
    this.isBound = true;
    await this.registration?.bind(taskId);
  }

  /**
   * Removes the registration when the call has ended without a task, because there is nothing to
   * notify about.
   */
  async callEnded(): Promise<void> {
    if (!this.isBound) await this.registration?.drop();
  }
}
