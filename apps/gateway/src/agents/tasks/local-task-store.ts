import type { TaskOwner, TaskRecord } from '@gw/a2a';
import { SharedEntries } from '@gw/kernel';
import {
  hourOf,
  isSameOwner,
  OWNER_TASKS_MAX,
  ownersOf,
  TASK_TTL_MS,
  type ContextRecord,
  type TaskStore,
} from './task-store';

/** Maximum bytes of all entries of a process, about 60,000 tasks; workspaces share them. */
const BYTES_MAX = 33_554_432;
/** Bytes that are counted for an entry in addition to its texts. */
const ENTRY_BYTES = 400;
const COUNTERS_MAX = 100_000;

type Entry =
  | { readonly kind: 'task'; readonly record: TaskRecord; isCharged: boolean }
  | { readonly kind: 'context'; readonly owner: TaskOwner }
  /** Ids of the tasks of an owner, most recently changed last. */
  | { readonly kind: 'list'; readonly ids: readonly string[] };

/**
 * Stores tasks in this process. A workspace that exceeds its share loses its own oldest entries.
 */
export class LocalTaskStore implements TaskStore {
  private readonly entries = new SharedEntries<Entry>({ bytesMax: BYTES_MAX, sizeOf });
  /** Number of messages in the current hour, by context. */
  private counts = new Map<string, number>();
  private hour = 0;

  constructor(private readonly now: () => number = Date.now) {}

  task(agentId: string, taskId: string): Promise<TaskRecord | null> {
    return Promise.resolve(this.readTask(agentId, taskId));
  }

  put(record: TaskRecord, organisationId: string): Promise<boolean> {
    const { agentId, taskId, owner } = record;
    const known = this.taskEntry(agentId, taskId);
    if (known !== null && !isSameOwner(known.record.owner, owner)) return Promise.resolve(false);
    const tenant = ownersOf(owner, organisationId);
    const entry: Entry = { kind: 'task', record, isCharged: known?.isCharged ?? false };
    this.entries.set(tenant, taskKey(agentId, taskId), entry, TASK_TTL_MS);
    const key = listKey(agentId, owner);
    const ids = this.idsOf(key).filter((id) => id !== taskId);
    for (const forgotten of ids.splice(0, ids.length + 1 - OWNER_TASKS_MAX))
      this.entries.delete(taskKey(agentId, forgotten));
    this.entries.set(tenant, key, { kind: 'list', ids: [...ids, taskId] }, TASK_TTL_MS);
    return Promise.resolve(true);
  }

  markCharged(agentId: string, taskId: string): Promise<boolean> {
    const entry = this.taskEntry(agentId, taskId);
    if (entry === null) return Promise.resolve(true);
    const isFirst = !entry.isCharged;
    entry.isCharged = true;
    return Promise.resolve(isFirst);
  }

  context(agentId: string, contextId: string): Promise<TaskOwner | null> {
    const entry = this.entries.get(contextKey(agentId, contextId));
    return Promise.resolve(entry?.kind === 'context' ? entry.owner : null);
  }

  async putContext(record: ContextRecord, organisationId: string): Promise<boolean> {
    const { agentId, contextId, owner } = record;
    const known = await this.context(agentId, contextId);
    if (known !== null && !isSameOwner(known, owner)) return false;
    const tenant = ownersOf(owner, organisationId);
    this.entries.set(tenant, contextKey(agentId, contextId), { kind: 'context', owner }, TASK_TTL_MS);
    return true;
  }

  list(agentId: string, owner: TaskOwner): Promise<readonly TaskRecord[]> {
    const records = this.idsOf(listKey(agentId, owner)).flatMap((id) => {
      const record = this.readTask(agentId, id);
      return record !== null && isSameOwner(record.owner, owner) ? [record] : [];
    });
    return Promise.resolve(records.reverse());
  }

  countMessage(agentId: string, contextId: string): Promise<number> {
    const hour = hourOf(this.now());
    if (hour !== this.hour || this.counts.size >= COUNTERS_MAX) {
      this.hour = hour;
      this.counts = new Map();
    }
    const key = contextKey(agentId, contextId);
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return Promise.resolve(count);
  }

  close(): void {
    this.counts.clear();
  }

  private readTask(agentId: string, taskId: string): TaskRecord | null {
    return this.taskEntry(agentId, taskId)?.record ?? null;
  }

  private taskEntry(agentId: string, taskId: string): Extract<Entry, { kind: 'task' }> | null {
    const entry = this.entries.get(taskKey(agentId, taskId));
    return entry?.kind === 'task' ? entry : null;
  }

  private idsOf(key: string): string[] {
    const entry = this.entries.get(key);
    return entry?.kind === 'list' ? [...entry.ids] : [];
  }
}

const taskKey = (agentId: string, taskId: string): string => `t ${agentId} ${taskId}`;
const contextKey = (agentId: string, contextId: string): string => `c ${agentId} ${contextId}`;
const listKey = (agentId: string, { workspaceId, principal }: TaskOwner): string =>
  `o ${agentId} ${workspaceId} ${principal}`;

function sizeOf(entry: Entry): number {
  switch (entry.kind) {
    case 'task':
      return ENTRY_BYTES + entry.record.taskId.length * 4 + (entry.record.contextId?.length ?? 0) * 2;
    case 'context':
      return ENTRY_BYTES;
    case 'list':
      return ENTRY_BYTES + entry.ids.reduce((sum, id) => sum + id.length * 2, 0);
  }
}
