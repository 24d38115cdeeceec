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
 * Outcome of delivering an event: sent (or without a reader), about a task of another caller, or
 * refused because too many notifications of the workspace wait.
 */
export type Delivered = 'sent' | 'foreign' | 'busy';

/** Delivers events of agents to the configs of clients. */
export class PushDelivery {
  constructor(private readonly parts: PushDeliveryParts) {}

  /** Notes what an event of A2A 1.0 says about its task, and sends it on. Throws `unavailable`. */
  async deliver({ record }: BoundPush, document: AgentServerDocument, event: Members): Promise<Delivered> {
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
    // An agent that retries would notify those again who were reached.
    return sent.length > 0 && !sent.includes(true) ? 'busy' : 'sent';
  }
}

/** Nothing that an agent writes passes its guardrails unseen, and they judge only responses to requests. */
const shownEvent = ({ guardrails }: AgentServerDocument, event: Members): Members | null =>
  guardrails.some(({ runOn }) => runOn.includes('afterToolCall')) ? bareEvent(event) : event;
