import type { A2aVersion, TaskOwner, TaskRecord } from '@gw/a2a';
import type { DocumentKey } from '@gw/contracts';
import type { AccessCaller } from '@gw/mcp';

/** The ids by which access rules name a caller. Roles and groups are read when they are needed. */
export type PushSubject = Pick<AccessCaller, 'userId' | 'keyId' | 'clientId' | 'trustId'>;

/** Maximum number of registrations of one owner at one agent; beyond it, the oldest are removed. */
export const OWNER_REGISTRATIONS_MAX = 1_000;
/** Maximum UTF-16 units of the configs of one registration, sealed: two of the largest. */
export const CONFIGS_LENGTH_MAX = 32_768;

/** A registration: the push config that this gateway registered at an agent for one task. */
export interface PushRecord {
  /** Random; also the id of the config at the agent. */
  readonly id: string;
  readonly agentId: string;
  /** Slug of the agent. */
  readonly agent: string;
  readonly organisationId: string;
  readonly owner: TaskOwner;
  /**
   * Document key of the API key, trust or grant that registered; null in records of earlier
   * versions when a token registered.
   */
  readonly caller: DocumentKey | null;
  /** Id of that API key, trust or grant; absent from records of earlier versions. */
  readonly callerId?: string;
  /** The caller as access rules know it; absent from records of earlier versions. */
  readonly subject?: PushSubject;
  /** A2A version of the agent. */
  readonly version: A2aVersion;
  /** SHA-256 of the token that the agent must send, in base64url. */
  readonly tokenHash: string;
}

/** A registration and its task; `taskId` is null until the agent has reported the task. */
export interface BoundPush {
  readonly record: PushRecord;
  readonly taskId: string | null;
}

/** A task, as registrations are found. */
export type OwnedTask = Pick<TaskRecord, 'agentId' | 'taskId' | 'owner'>;

/** A client's config. */
export interface StoredPushConfig {
  readonly id: string;
  /** A2A version of the client. */
  readonly version: A2aVersion;
  /** `seal()` of `PushConfig` as JSON. */
  readonly sealed: string;
}

/**
 * Stores registrations with the configs of clients. The methods reject with `unavailable` while the
 * store cannot be reached.
 */
export interface PushStore {
  put(record: PushRecord): Promise<void>;
  get(agentId: string, id: string): Promise<BoundPush | null>;
  /** Returns the registration of the task's owner; an agent may use an id again for another owner. */
  ofTask(task: OwnedTask): Promise<BoundPush | null>;
  /**
   * Binds a registration to a task, unless the task has one that still exists. Resolves to false
   * when the registration is unknown or bound to another task.
   */
  bind(record: PushRecord, taskId: string): Promise<boolean>;
  /** Removes a registration and its configs. */
  remove(push: BoundPush): Promise<void>;
  /**
   * Adds or replaces a config. Resolves to false when the registration is unknown, or would have
   * too many configs or too large ones.
   */
  putConfig(record: PushRecord, config: StoredPushConfig): Promise<boolean>;
  configs(record: PushRecord): Promise<readonly StoredPushConfig[]>;
  /**
   * Removes a config. Resolves to the number of remaining configs, or to null when there was no
   * such config.
   */
  removeConfig(record: PushRecord, configId: string): Promise<number | null>;
  close(): void;
}
