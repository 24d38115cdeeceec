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
  readonly calls: Pick<AgentCalls, 'taskOf'>;
  readonly store: PushStore;
  readonly leases: PollLeases;
  readonly delivery: Pick<PushDelivery, 'deliver'>;
  /** Memory for what is read, shared by workspaces. */
  readonly memory: Shares;
}

export interface PollIntervals {
  readonly pollMs: number;
  /** How often polls of gateways that have ended are looked for. */
  readonly takeMs: number;
}

/** Tasks that this process polls; workspaces share them. */
const POLLED_MAX = 1_000;
/** Polls of other gateways that are taken at once. */
const TAKEN_MAX = 50;
const INTERVALS: PollIntervals = { pollMs: 5_000, takeMs: 15_000 };
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

/** `moved`: another gateway polls the task. */
type Outcome = 'again' | 'over' | 'moved';

/**
 * Polls tasks of agents that send no notifications, for clients that want them. A gateway that ends polls no longer; where
 * gateways share a store, another one goes on within some 75 seconds.
 */
export class PushPollers {
  private readonly shares = new Shares(POLLED_MAX);
  private readonly polled = new Map<string, NodeJS.Timeout>();
  private taking: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    private readonly parts: PushPollerParts,
    private readonly intervals = INTERVALS,
  ) {
    if (parts.leases.isShared) this.takeLater();
  }

  /**
   * Begins to poll a task, unless this or another gateway polls it. False: too many tasks of the workspace are polled. Never
   * rejects: a task whose lease cannot be had is polled all the same.
   */
  async start(record: PushRecord, taskId: string): Promise<boolean> {
    if (this.polled.has(record.id) || this.isClosed) return true;
    const polled = { record, taskId, endsAt: Date.now() + POLLED_MS, failures: 0, seen: null };
    if (!this.begin(polled)) return false;
    if (!(await this.parts.leases.hold(storedPoll(polled)).catch(() => true))) this.forget(polled);
    return true;
  }

  close(): void {
    this.isClosed = true;
    if (this.taking !== null) clearTimeout(this.taking);
    for (const timer of this.polled.values()) clearTimeout(timer);
    this.polled.clear();
  }

  private takeLater(): void {
    const ms = this.intervals.takeMs * (0.8 + 0.4 * Math.random());
    this.taking = setTimeout(() => {
      void this.take().finally(() => {
        if (!this.isClosed) this.takeLater();
      });
    }, ms).unref();
  }

  /** Goes on with polls of gateways that have ended. Never rejects. */
  private async take(): Promise<void> {
    const { leases, store } = this.parts;
    const room = Math.min(TAKEN_MAX, POLLED_MAX - this.polled.size);
    if (room <= 0) return;
    try {
      for (const { id, agentId, taskId, endsAt, seen } of await leases.take(room)) {
        if (this.polled.has(id)) continue;
        const push = await store.get(agentId, id);
        if (push === null || endsAt <= Date.now()) await leases.end(id);
        // Without a place for the workspace, the lease ends, and a gateway with one takes the poll.
        else if (!this.isClosed) this.begin({ record: push.record, taskId, endsAt, failures: 0, seen });
      }
    } catch {
      // What could not be taken is taken when its lease has ended again.
    }
  }

  /** False: no place for the workspace. A task that is polled already keeps its one place. */
  private begin(polled: Polled): boolean {
    const { id, owner, organisationId } = polled.record;
    if (this.polled.has(id)) return true;
    if (!this.shares.of(owner.workspaceId, organisationId).take(1)) return false;
    this.later(polled);
    return true;
  }

  private later(polled: Polled): void {
    const poll = (): void => {
      void this.turn(polled).then((outcome) => {
        if (this.isClosed || !this.polled.has(polled.record.id)) return;
        if (outcome === 'again') this.later(polled);
        else this.forget(polled);
        if (outcome === 'over') this.parts.leases.end(polled.record.id).catch(() => undefined);
      });
    };
    this.polled.set(polled.record.id, setTimeout(poll, this.intervals.pollMs).unref());
  }

  private forget({ record }: Polled): void {
    clearTimeout(this.polled.get(record.id));
    if (!this.polled.delete(record.id)) return;
    this.shares.of(record.owner.workspaceId, record.organisationId).give(1);
  }

  /** Never rejects. */
  private async turn(polled: Polled): Promise<Outcome> {
    const { leases } = this.parts;
    try {
      if (!(await leases.hold(storedPoll(polled)))) return 'moved';
    } catch {
      return this.failed(polled);
    }
    const { seen } = polled;
    const outcome = await this.poll(polled);
    // So that another gateway does not notify clients of the same again.
    if (outcome === 'again' && polled.seen !== seen)
      await leases.hold(storedPoll(polled)).catch(() => undefined);
    return outcome;
  }

  private failed(polled: Polled): Outcome {
    polled.failures += 1;
    return polled.failures < FAILURES_MAX ? 'again' : 'over';
  }

  private async poll(polled: Polled): Promise<Outcome> {
    const { organisationId, owner } = polled.record;
    const { workspaceId } = owner;
    const held = requestMemory(this.parts.memory, { workspaceId, organisationId });
    try {
      const document = await this.parts.agents.of(polled.record);
      const push = await this.parts.store.get(polled.record.agentId, polled.record.id);
      if (document === null || push === null || Date.now() > polled.endsAt) return 'over';
      const raw = await this.parts.calls.taskOf(document, polled.taskId, held);
      const direction = { from: document.endpoint.version, to: '1.0' } as const;
      const task = translateResult('getTask', raw, direction);
      if (!isObject(task)) return 'over';
      const digest = digestOf('a2a/polled', [canonicalJson(changing(task))]);
      const isSent =
        digest === polled.seen || (await this.parts.delivery.deliver(push, document, { task })) !== 'busy';
      // What found no place is sent with the next poll, also the end of the task.
      if (isSent) polled.seen = digest;
      polled.failures = 0;
      return !isSent || !isTerminal(stateOf(task)) ? 'again' : 'over';
    } catch {
      return this.failed(polled);
    } finally {
      held.end();
    }
  }
}

const storedPoll = ({ record: { id, agentId }, taskId, endsAt, seen }: Polled): StoredPoll => ({
  ...{ id, agentId, taskId, endsAt, seen },
});

const stateOf = ({ status }: Members) => knownState(isObject(status) ? status['state'] : null);

/** Parts of a task that trigger a notification when they change. */
const changing = (task: Members): Members => ({
  state: stateOf(task),
  message: isObject(task['status']) ? (task['status']['message'] ?? null) : null,
  artifacts: task['artifacts'] ?? null,
});
