import { bareEvent, eventFacts, type Members } from '@gw/a2a';
import type { AgentServerDocument } from '@gw/contracts';
import type { TaskStore } from '../tasks/task-store';
import type { PushSender } from './push-sender';
import type { BoundPush, PushStore } from './push-store';

export interface PushDeliveryParts {
  readonly store: PushStore;
  readonly tasks: TaskStore;
  readonly sender: PushSender;
}

/**
 * Outcome of delivering an event. `sent`: it was sent, or no client wants it. `foreign`: its task
 * belongs to another caller. `busy`: too many notifications of the workspace wait.
 */
export type DeliveryOutcome = 'sent' | 'foreign' | 'busy';

/** Delivers events of agents to the configs of clients. */
export class PushDelivery {
  constructor(private readonly parts: PushDeliveryParts) {}

  /**
   * Stores the state that an event of A2A 1.0 reports for its task, and sends the event to the
   * clients. Rejects with `unavailable` while the store cannot be reached.
   */
  async deliver(
    { record }: BoundPush,
    document: AgentServerDocument,
    event: Members,
  ): Promise<DeliveryOutcome> {
    const { store, tasks, sender } = this.parts;
    const { taskId, contextId, state } = eventFacts(event);
    if (taskId === null) return 'foreign';
    const { agentId, owner } = record;
    const known = await tasks.task(agentId, taskId);
    const before = known ?? { contextId: null, state: 'TASK_STATE_UNSPECIFIED' as const };
    const isOwn = await tasks.put(
      {
        ...{ agentId, taskId, owner, updatedAt: Date.now() },
        ...{ contextId: contextId ?? before.contextId, state: state ?? before.state },
      },
      record.organisationId,
    );
    if (!isOwn || !(await store.bind(record, taskId))) return 'foreign';
    const shown = shownEvent(document, event);
    if (shown === null) return 'sent';
    const sent = (await store.configs(record)).map((config) => sender.send(record, config, shown));
    // When at least one client was notified, the delivery counts as sent, because a retry of the
    // agent would notify that client again.
    return sent.length > 0 && !sent.includes(true) ? 'busy' : 'sent';
  }
}

/**
 * Returns the event for clients. When the agent has output guardrails, all its texts are removed,
 * because guardrails check only responses to requests.
 */
const shownEvent = ({ guardrails }: AgentServerDocument, event: Members): Members | null =>
  guardrails.some(({ runOn }) => runOn.includes('afterToolCall')) ? bareEvent(event) : event;
