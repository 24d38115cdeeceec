import { isTerminal, knownState, translateResult, type Members } from '@gw/a2a';
import { canonicalJson, digestOf, isObject, Shares } from '@gw/kernel';
import { requestMemory } from '../../bodies/held-responses';
import type { AgentCalls } from '../agent-calls';
import type { PushAgents } from './push-agents';
import type { PushDelivery } from './push-delivery';
import type { PushRecord, PushStore } from './push-store';

export interface PushPollerParts {
  readonly agents: PushAgents;
  readonly calls: Pick<AgentCalls, 'taskOf'>;
  readonly store: PushStore;
  readonly delivery: Pick<PushDelivery, 'deliver'>;
  /** Memory for what is read, shared by workspaces. */
  readonly memory: Shares;
}

/** Tasks that this process polls; workspaces share them. */
const POLLED_MAX = 1_000;
const INTERVAL_MS = 5_000;
/** A task is polled for this long. */
const POLLED_MS = 3_600_000;
/** Failures in a row after which a task is polled no longer. */
const FAILURES_MAX = 20;

interface Polled {
  readonly record: PushRecord;
  readonly taskId: string;
  readonly endsAt: number;
  failures: number;
  /** Digest of what clients were notified of; null: of nothing yet. */
  seen: string | null;
}

/** Polls tasks of agents that send no notifications, for clients that want them. A gateway that ends polls no longer. */
export class PushPollers {
  private readonly shares = new Shares(POLLED_MAX);
  private readonly polled = new Map<string, NodeJS.Timeout>();
  private isClosed = false;

  constructor(
    private readonly parts: PushPollerParts,
    private readonly intervalMs = INTERVAL_MS,
  ) {}

  /** Begins to poll a task. False: too many tasks of the workspace are polled. A task is polled once. */
  start(record: PushRecord, taskId: string): boolean {
    if (this.polled.has(record.id) || this.isClosed) return true;
    if (!this.shares.of(record.owner.workspaceId, record.organisationId).take(1)) return false;
    this.later({ record, taskId, endsAt: Date.now() + POLLED_MS, failures: 0, seen: null });
    return true;
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.polled.values()) clearTimeout(timer);
    this.polled.clear();
  }

  private later(polled: Polled): void {
    const poll = (): void => {
      void this.poll(polled).then((goesOn) => {
        if (goesOn && !this.isClosed) this.later(polled);
        else this.end(polled);
      });
    };
    this.polled.set(polled.record.id, setTimeout(poll, this.intervalMs).unref());
  }

  private end({ record }: Polled): void {
    if (!this.polled.delete(record.id)) return;
    this.shares.of(record.owner.workspaceId, record.organisationId).give(1);
  }

  /** Never rejects. Returns whether the task is polled again. */
  private async poll(polled: Polled): Promise<boolean> {
    const { organisationId, owner } = polled.record;
    const { workspaceId } = owner;
    const held = requestMemory(this.parts.memory, { workspaceId, organisationId });
    try {
      const document = await this.parts.agents.of(polled.record);
      const push = await this.parts.store.get(polled.record.agentId, polled.record.id);
      if (document === null || push === null || Date.now() > polled.endsAt) return false;
      const raw = await this.parts.calls.taskOf(document, polled.taskId, held);
      const direction = { from: document.endpoint.version, to: '1.0' } as const;
      const task = translateResult('getTask', raw, direction);
      if (!isObject(task)) return false;
      const digest = digestOf('a2a/polled', [canonicalJson(changing(task))]);
      const isSent =
        digest === polled.seen || (await this.parts.delivery.deliver(push, document, { task })) !== 'busy';
      // What found no place is sent with the next poll, also the end of the task.
      if (isSent) polled.seen = digest;
      polled.failures = 0;
      return !isSent || !isTerminal(stateOf(task));
    } catch {
      polled.failures += 1;
      return polled.failures < FAILURES_MAX;
    } finally {
      held.end();
    }
  }
}

const stateOf = ({ status }: Members) => knownState(isObject(status) ? status['state'] : null);

/** Parts of a task that trigger a notification when they change. */
const changing = (task: Members): Members => ({
  state: stateOf(task),
  message: isObject(task['status']) ? (task['status']['message'] ?? null) : null,
  artifacts: task['artifacts'] ?? null,
});
