import { PUSH_CONFIGS_MAX } from '@gw/a2a';
import { SharedEntries } from '@gw/kernel';
import { ownersOf, TASK_TTL_MS } from '../tasks/task-store';
import {
  CONFIGS_LENGTH_MAX,
  type BoundPush,
  type OwnedTask,
  type PushRecord,
  type PushStore,
  type StoredPushConfig,
} from './push-store';

/** Maximum bytes of all entries of a process; workspaces share them. */
const BYTES_MAX = 33_554_432;
/** Bytes that are counted for an entry in addition to its configs. */
const ENTRY_BYTES = 2_048;

interface Entry {
  readonly record: PushRecord;
  taskId: string | null;
  readonly configs: Map<string, StoredPushConfig>;
}

/** Stores registrations in this process. */
export class LocalPushStore implements PushStore {
  private readonly entries = new SharedEntries<Entry>({ bytesMax: BYTES_MAX, sizeOf });
  /** Ids of registrations by task. */
  private readonly byTask = new SharedEntries<string>({ bytesMax: BYTES_MAX / 8, sizeOf: () => 1_024 });

  put(record: PushRecord): Promise<void> {
    const tenant = ownersOf(record.owner, record.organisationId);
    this.entries.set(tenant, keyOf(record), { record, taskId: null, configs: new Map() }, TASK_TTL_MS);
    return Promise.resolve();
  }

  get(agentId: string, id: string): Promise<BoundPush | null> {
    return Promise.resolve(this.now(agentId, id));
  }

  ofTask(task: OwnedTask): Promise<BoundPush | null> {
    const id = this.byTask.get(taskKey(task));
    return Promise.resolve(id === undefined ? null : this.now(task.agentId, id));
  }

  bind(record: PushRecord, taskId: string): Promise<boolean> {
    const entry = this.entries.get(keyOf(record));
    if (entry === undefined || (entry.taskId !== null && entry.taskId !== taskId))
      return Promise.resolve(false);
    entry.taskId = taskId;
    const key = taskKey({ ...record, taskId });
    const known = this.byTask.get(key);
    const isFree = known === undefined || known === record.id || this.now(record.agentId, known) === null;
    if (isFree) this.byTask.set(ownersOf(record.owner, record.organisationId), key, record.id, TASK_TTL_MS);
    return Promise.resolve(true);
  }

  remove({ record, taskId }: BoundPush): Promise<void> {
    this.entries.delete(keyOf(record));
    const key = taskId === null ? null : taskKey({ ...record, taskId });
    if (key !== null && this.byTask.get(key) === record.id) this.byTask.delete(key);
    return Promise.resolve();
  }

  putConfig(record: PushRecord, config: StoredPushConfig): Promise<boolean> {
    const entry = this.entries.get(keyOf(record));
    if (entry === undefined) return Promise.resolve(false);
    const configs = new Map(entry.configs).set(config.id, config);
    if (configs.size > PUSH_CONFIGS_MAX || lengthOf(configs) > CONFIGS_LENGTH_MAX)
      return Promise.resolve(false);
    // Stored again, so that its new size is counted.
    const tenant = ownersOf(record.owner, record.organisationId);
    return Promise.resolve(this.entries.set(tenant, keyOf(record), { ...entry, configs }, TASK_TTL_MS));
  }

  configs(record: PushRecord): Promise<readonly StoredPushConfig[]> {
    return Promise.resolve([...(this.entries.get(keyOf(record))?.configs.values() ?? [])]);
  }

  removeConfig(record: PushRecord, configId: string): Promise<number | null> {
    const configs = this.entries.get(keyOf(record))?.configs;
    return Promise.resolve(configs?.delete(configId) === true ? configs.size : null);
  }

  close(): void {
    // There is no connection or timer to close.
  }

  private now(agentId: string, id: string): BoundPush | null {
    const entry = this.entries.get(keyOf({ agentId, id }));
    return entry === undefined ? null : { record: entry.record, taskId: entry.taskId };
  }
}

const keyOf = ({ agentId, id }: Pick<PushRecord, 'agentId' | 'id'>): string => `${agentId} ${id}`;

const taskKey = ({ agentId, taskId, owner: { workspaceId, principal } }: OwnedTask): string =>
  `${agentId} ${workspaceId} ${principal} ${taskId}`;

/** Returns the UTF-16 units of configs as JSON. */
const lengthOf = (configs: ReadonlyMap<string, StoredPushConfig>): number =>
  [...configs.values()].reduce((sum, config) => sum + JSON.stringify(config).length, 0);

const sizeOf = ({ configs }: Entry): number => ENTRY_BYTES + 2 * lengthOf(configs);
