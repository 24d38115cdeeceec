import type { A2aVersion, TaskOwner } from '@gw/a2a';
import type { DocumentKey } from '@gw/contracts';

/** Push config that this gateway registered at an agent for one task. */
export interface PushRecord {
  /** Random; also the id of the config at the agent. */
  readonly id: string;
  readonly agentId: string;
  /** Slug of the agent, by which its document is found. */
  readonly agent: string;
  readonly organisationId: string;
  readonly owner: TaskOwner;
  /** Key of the document of the API key, trust or grant that registered; null for a token, in records of earlier versions. */
  readonly caller: DocumentKey | null;
  /** Id of that key, trust or grant; absent from records of earlier versions. */
  readonly callerId?: string;
  /** Version that the agent speaks. */
  readonly version: A2aVersion;
  /** SHA-256 of the token that the agent must send, in base64url. */
  readonly tokenHash: string;
}

/** A registration and the task that it belongs to; null before the agent said which. */
export interface BoundPush {
  readonly record: PushRecord;
  readonly taskId: string | null;
}

/** A config of a client. */
export interface StoredPushConfig {
  readonly id: string;
  /** Version that the client speaks. */
  readonly version: A2aVersion;
  /** `seal()` of `PushConfig` as JSON. */
  readonly sealed: string;
}

/** Registrations of notifications with the configs of clients. The methods throw `unavailable` when the store is. */
export interface PushStore {
  put(record: PushRecord): Promise<void>;
  get(agentId: string, id: string): Promise<BoundPush | null>;
  ofTask(agentId: string, taskId: string): Promise<BoundPush | null>;
  /** Binds a registration to a task. False: it is unknown, or bound to another task. */
  bind(record: PushRecord, taskId: string): Promise<boolean>;
  /** Forgets a registration and its configs. */
  remove(push: BoundPush): Promise<void>;
  /** Adds or replaces a config. False: the registration has as many others as it may. */
  putConfig(record: PushRecord, config: StoredPushConfig): Promise<boolean>;
  configs(record: PushRecord): Promise<readonly StoredPushConfig[]>;
  /** Returns the number of configs that are left; null when there was no such config. */
  removeConfig(record: PushRecord, configId: string): Promise<number | null>;
  close(): void;
}
