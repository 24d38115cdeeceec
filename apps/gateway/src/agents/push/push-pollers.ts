import { isTerminal, knownState, translateResult, type Members } from '@gw/a2a';
import { canonicalJson, digestOf, isObject, Shares } from '@gw/kernel';
import { requestMemory } from '../../bodies/held-responses';
import type { AgentCalls } from '../agent-calls';
import type { PollLeases, StoredPoll } from './poll-leases';
import type { PushAgents } from './push-agents';
import type { PushDelivery } from './push-delivery';
import type { PushRecord, PushStore } from './push-store';

export interface PushPollerParts {
  readonly agents: PushAgents;
  readonly calls: Pick<AgentCalls, 'readTask'>;
  readonly store: PushStore;
  readonly leases: PollLeases;
  readonly delivery: Pick<PushDelivery, 'deliver'>;
  /** Memory for the tasks that are read; workspaces share it. */
  readonly memory: Shares;
}

export interface PollIntervals {
  readonly pollMs: number;
  /** Milliseconds between two searches for polls whose gateway has ended. */
  readonly takeMs: number;
}

/** Maximum number of tasks that this process polls; workspaces share it. */
const POLLED_MAX = 1_000;
/** Maximum number of polls that one search takes over from other gateways. */
const TAKEN_MAX = 50;
const INTERVALS: PollIntervals = { pollMs: 5_000, takeMs: 15_000 };
/** Milliseconds for which a task is polled. */
const POLL_DURATION_MS = 3_600_000;
/** Number of consecutive failures after which polling of a task ends. */
const FAILURES_MAX = 20;

interface PolledTask {
  readonly record: PushRecord;
  readonly taskId: string;
  readonly endsAt: number;
  failures: number;
  /**
   * Digest of the task that clients were last notified of; null when they were not notified yet.
   */
  seen: string | null;
}

/** Outcome of a poll: poll again, polling is over, or another gateway polls the task (`moved`). */
type Outcome = 'again' | 'over' | 'moved';

/**
 * Polls the tasks of agents that send no notifications, for clients that requested them. When a
 * gateway ends and gateways share a store, another one continues its polls within about 75 seconds.
 */
export class PushPollers {
  private readonly shares = new Shares(POLLED_MAX);
  private readonly polled = new Map<string, NodeJS.Timeout>();
  private takeTimer: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    private readonly parts: PushPollerParts,
    private readonly intervals = INTERVALS,
  ) {
    if (parts.leases.isShared) this.takeOverLater();
  }

  /**
   * Starts to poll a task, unless this or another gateway already polls it. Resolves to false when
   * too many tasks of the workspace are polled. Never rejects: when the lease store cannot be
   * reached, the task is polled nevertheless.
   */
  async start(record: PushRecord, taskId: string): Promise<boolean> {
    if (this.polled.has(record.id) || this.isClosed) return true;
    const polled = { record, taskId, endsAt: Date.now() + POLL_DURATION_MS, failures: 0, seen: null };
    if (!this.begin(polled)) return false;
    if (!(await this.parts.leases.hold(storedPoll(polled)).catch(() => true))) this.forget(polled);
    return true;
  }

  close(): void {
    this.isClosed = true;
    if (this.takeTimer !== null) clearTimeout(this.takeTimer);
    for (const timer of this.polled.values()) clearTimeout(timer);
    this.polled.clear();
  }

  private takeOverLater(): void {
    const ms = this.intervals.takeMs * (0.8 + 0.4 * Math.random());
    this.takeTimer = setTimeout(() => {
      void this.takeOver().finally(() => {
        if (!this.isClosed) this.takeOverLater();
      });
    }, ms).unref();
  }

  /** Takes over polls of gateways that have ended. Never rejects. */
  private async takeOver(): Promise<void> {
    const { leases, store } = this.parts;
    const room = Math.min(TAKEN_MAX, POLLED_MAX - this.polled.size);
    if (room <= 0) return;
    try {
      for (const { id, agentId, taskId, endsAt, seen } of await leases.take(room)) {
        if (this.polled.has(id)) continue;
        const push = await store.get(agentId, id);
        if (push === null || endsAt <= Date.now()) await leases.end(id);
        // When the workspace has no free place here, the lease expires and a gateway with a free
        // place takes the poll over.
        else if (!this.isClosed) this.begin({ record: push.record, taskId, endsAt, failures: 0, seen });
      }
    } catch {
      // Polls that could not be started are taken over again when their lease has expired.
    }
  }

  /**
   * Reserves a place and schedules the first poll. Returns false when the workspace has no free
   * place. Does nothing for a task that is already polled.
   */
  private begin(polled: PolledTask): boolean {
    const { id, owner, organisationId } = polled.record;
    if (this.polled.has(id)) return true;
    if (!this.shares.of(owner.workspaceId, organisationId).take(1)) return false;
    this.pollLater(polled);
    return true;
  }

  private pollLater(polled: PolledTask): void {
    const poll = (): void => {
      void this.pollOnce(polled).then((outcome) => {
        if (this.isClosed || !this.polled.has(polled.record.id)) return;
        if (outcome === 'again') this.pollLater(polled);
        else this.forget(polled);
        if (outcome === 'over') this.parts.leases.end(polled.record.id).catch(() => undefined);
      });
    };
    this.polled.set(polled.record.id, setTimeout(poll, this.intervals.pollMs).unref());
  }

  private forget({ record }: PolledTask): void {
    clearTimeout(this.polled.get(record.id));
    if (!this.polled.delete(record.id)) return;
    this.shares.of(record.owner.workspaceId, record.organisationId).give(1);
  }

  /** Renews the lease and polls the task once. Never rejects. */
  private async pollOnce(polled: PolledTask): Promise<Outcome> {
    const { leases } = this.parts;
    try {
      if (!(await leases.hold(storedPoll(polled)))) return 'moved';
    } catch {
      return this.noteFailure(polled);
    }
    const { seen } = polled;
    const outcome = await this.poll(polled);
    // Stores the new digest, so that another gateway does not repeat the notification.
    if (outcome === 'again' && polled.seen !== seen)
      await leases.hold(storedPoll(polled)).catch(() => undefined);
    return outcome;
  }

  private noteFailure(polled: PolledTask): Outcome {
    polled.failures += 1;
    return polled.failures < FAILURES_MAX ? 'again' : 'over';
  }

  private async poll(polled: PolledTask): Promise<Outcome> {
    const { organisationId, owner } = polled.record;
    const { workspaceId } = owner;
    const held = requestMemory(this.parts.memory, { workspaceId, organisationId });
    try {
      const document = await this.parts.agents.of(polled.record);
      const push = await this.parts.store.get(polled.record.agentId, polled.record.id);
      if (document === null || push === null || Date.now() > polled.endsAt) return 'over';
      const raw = await this.parts.calls.readTask(document, polled.taskId, held);
      const direction = { from: document.endpoint.version, to: '1.0' } as const;
      const task = translateResult('getTask', raw, direction);
      if (!isObject(task)) return 'over';
      const digest = digestOf('a2a/polled', [canonicalJson(notifiableParts(task))]);
      const isSent =
        digest === polled.seen || (await this.parts.delivery.deliver(push, document, { task })) !== 'busy';
      // An event that could not be sent, even the last one, is sent after the next poll.
      if (isSent) polled.seen = digest;
      polled.failures = 0;
      return !isSent || !isTerminal(stateOf(task)) ? 'again' : 'over';
    } catch {
      return this.noteFailure(polled);
    } finally {
      held.end();
    }
  }
}

const storedPoll = ({ record: { id, agentId }, taskId, endsAt, seen }: PolledTask): StoredPoll => ({
  ...{ id, agentId, taskId, endsAt, seen },
});

const stateOf = ({ status }: Members) => knownState(isObject(status) ? status['state'] : null);

/** Returns the parts of a task that trigger a notification when they change. */
const notifiableParts = (task: Members): Members => ({
  state: stateOf(task),
  message: isObject(task['status']) ? (task['status']['message'] ?? null) : null,
  artifacts: task['artifacts'] ?? null,
});
