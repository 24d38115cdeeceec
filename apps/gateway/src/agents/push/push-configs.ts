import { randomBytes } from 'node:crypto';
import {
  A2aError,
  ownerOf,
  PUSH_CONFIGS_MAX,
  pushTokenHash,
  readPushConfig,
  translateParams,
  translateResult,
  type Members,
  type PushConfig,
  type TaskRecord,
} from '@gw/a2a';
import { GatewayError, isObject, randomHex, type Keyring } from '@gw/kernel';
import type { Principals } from '../../auth/principals';
import type { AgentCalls } from '../agent-calls';
import type { AgentRequest } from '../agent-request';
import type { CallerTasks } from '../tasks/caller-tasks';
import { MessagePush } from './message-push';
import { pushUrl } from './push-address';
import type { PushRulesOf } from './push-rules';
import type { PushPollers } from './push-pollers';
import { openedConfig, sealedConfig } from './push-secrets';
import type { BoundPush, PushRecord, PushStore, PushSubject } from './push-store';

export interface PushConfigParts {
  readonly store: PushStore;
  readonly ring: Keyring;
  readonly rules: PushRulesOf;
  /** URL of this gateway for agents; null when they cannot send notifications to it. */
  readonly publicUrl: string | null;
  readonly calls: AgentCalls;
  readonly tasks: CallerTasks;
  readonly pollers: PushPollers;
  readonly principals: Pick<Principals, 'rightOf'>;
}

type NamedConfig = PushConfig & { readonly id: string };

/**
 * Push notification configs of clients. An agent never receives the addresses and secrets of
 * clients: it notifies this gateway, which notifies the clients.
 */
export class PushConfigs {
  constructor(private readonly parts: PushConfigParts) {}

  /**
   * Carries out an operation on configs. Resolves when the response is sent. Rejects with
   * `A2aError`, `AgentDenied` or `GatewayError`.
   */
  async run(request: AgentRequest): Promise<void> {
    const { call, form, reply, view } = request;
    const { operation } = call;
    const { taskId } = call.params10;
    const task = await this.parts.tasks.own(view, typeof taskId === 'string' ? taskId : '');
    const result10 = await this.carryOut(request, task);
    const direction = { from: '1.0', to: call.version } as const;
    const result =
      operation === 'getExtendedCard' ? result10 : translateResult(operation, result10, direction);
    const { json, status, headers } = form.result(operation, result);
    reply.end(json, status, headers);
  }

  /**
   * Registers the notifications that a message requests; null when it requests none. `task` is the
   * task that the message continues, or null.
   */
  async ofMessage(request: AgentRequest, task: TaskRecord | null): Promise<MessagePush | null> {
    const { configuration } = request.call.params10;
    const wanted = isObject(configuration) ? configuration['taskPushNotificationConfig'] : undefined;
    if (!isObject(wanted)) return null;
    if (request.view.abilities.push === 'off') throw new A2aError('pushNotSupported');
    const config = this.read(wanted);
    const known = task === null ? null : await this.parts.store.ofTask(task);
    if (task !== null && known !== null) {
      await this.addConfig(request, task, known.record, config);
      return new MessagePush(null, null);
    }
    const { record, token } = await this.newRecord(request);
    await this.storeConfig(request, record, config);
    return new MessagePush(agentNotifies(request) ? this.agentConfig(record, token) : null, {
      bind: async (taskId) => {
        await this.parts.store.bind(record, taskId);
        // The agent already has the message, so a failure to start polling does not refuse it.
        if (!agentNotifies(request)) await this.parts.pollers.start(record, taskId);
      },
      drop: () => this.parts.store.remove({ record, taskId: null }),
    });
  }

  private async carryOut(request: AgentRequest, task: TaskRecord): Promise<unknown> {
    const push = await this.parts.store.ofTask(task);
    const { id } = request.call.params10;
    const { operation } = request.call;
    if (operation === 'createPushConfig') return this.create(request, task, push);
    if (operation === 'listPushConfigs')
      return { configs: (await this.readAll(push)).map((config) => shown(task, config)), nextPageToken: '' };
    if (operation === 'deletePushConfig') {
      await this.remove(request, push, typeof id === 'string' ? id : null);
      return {};
    }
    return shown(task, await this.readOne(push, typeof id === 'string' && id !== '' ? id : null));
  }

  private async create(request: AgentRequest, task: TaskRecord, push: BoundPush | null): Promise<Members> {
    const config = this.read(request.call.params10);
    if (push !== null) {
      await this.addConfig(request, task, push.record, config);
      return shown(task, config);
    }
    const { record, token } = await this.newRecord(request);
    await this.parts.store.bind(record, task.taskId);
    const first = await this.parts.store.ofTask(task);
    if (first !== null && first.record.id !== record.id) {
      // Another request has registered the task in the meantime.
      await this.parts.store.remove({ record, taskId: task.taskId });
      await this.addConfig(request, task, first.record, config);
      return shown(task, config);
    }
    try {
      await this.storeConfig(request, record, config);
      if (agentNotifies(request)) await this.register(request, task, this.agentConfig(record, token));
      else if (!(await this.parts.pollers.start(record, task.taskId))) throw tooManyPolled();
      return shown(task, config);
    } catch (error) {
      await this.parts.store.remove({ record, taskId: task.taskId });
      throw error;
    }
  }

  /** Reads and checks a client's config. Throws `A2aError`. */
  private read(wanted: Members): NamedConfig {
    const read = readPushConfig(wanted, 0, this.parts.rules(wanted['url']));
    return { ...read, id: read.id ?? randomHex(16) };
  }

  /** Adds a config to a task that has a registration. Rejects with `A2aError` or `GatewayError`. */
  private async addConfig(
    request: AgentRequest,
    { taskId }: TaskRecord,
    record: PushRecord,
    config: NamedConfig,
  ): Promise<void> {
    await this.storeConfig(request, record, config);
    // With a new config, the registration is stored for another seven days, under its task as well.
    await this.parts.store.bind(record, taskId);
    // Polling may have ended, because it lasts an hour.
    if (!agentNotifies(request) && !(await this.parts.pollers.start(record, taskId))) throw tooManyPolled();
  }

  private async storeConfig({ call }: AgentRequest, record: PushRecord, config: NamedConfig): Promise<void> {
    const { store, ring } = this.parts;
    if (await store.putConfig(record, sealedConfig(ring, record, config, call.version))) return;
    throw new A2aError(
      'invalidParams',
      `A task has at most ${String(PUSH_CONFIGS_MAX)} push notification configs, and 24 KiB of them; delete one, or use shorter secrets.`,
    );
  }

  private async newRecord({
    view,
  }: AgentRequest): Promise<{ readonly record: PushRecord; readonly token: string }> {
    const { id: agentId, slug, organisationId, endpoint } = view.document;
    const token = randomBytes(32).toString('base64url');
    const record: PushRecord = {
      ...{ id: randomHex(16), agentId, agent: slug, organisationId, owner: ownerOf(view.taskCaller) },
      caller: this.parts.principals.rightOf(view.caller.principal),
      callerId: view.caller.principal.key.id,
      subject: subjectOf(view.caller.access),
      ...{ version: endpoint.version, tokenHash: pushTokenHash(token).toString('base64url') },
    };
    await this.parts.store.put(record);
    return { record, token };
  }

  /** Returns the config that is registered at the agent in place of the client's. */
  private agentConfig(record: PushRecord, token: string): Members {
    const { ring, publicUrl } = this.parts;
    return { id: record.id, url: pushUrl(ring, publicUrl ?? '', record), token };
  }

  private async register(request: AgentRequest, { taskId }: TaskRecord, config: Members): Promise<void> {
    const direction = { from: '1.0', to: request.view.document.endpoint.version } as const;
    const params = translateParams('createPushConfig', { ...config, taskId }, direction);
    await this.parts.calls.call(request, 'createPushConfig', params);
  }

  private async readAll(push: BoundPush | null): Promise<readonly PushConfig[]> {
    if (push === null) return [];
    const stored = await this.parts.store.configs(push.record);
    return stored.map((config) => openedConfig(this.parts.ring, push.record, config));
  }

  /**
   * Returns a config by its id. A request of A2A 0.3 may omit the id and receives the first config
   * of the task. Rejects with `taskNotFound`.
   */
  private async readOne(push: BoundPush | null, id: string | null): Promise<PushConfig> {
    const found = (await this.readAll(push)).find((config) => id === null || config.id === id);
    if (found === undefined) throw new A2aError('taskNotFound', 'There is no such push notification config.');
    return found;
  }

  /** Deletes a config. With the last config, the registration at the agent is deleted as well. */
  private async remove(request: AgentRequest, push: BoundPush | null, id: string | null): Promise<void> {
    if (push === null) return;
    const config = await this.readOne(push, id);
    const left = await this.parts.store.removeConfig(push.record, config.id ?? '');
    if (left !== 0) return;
    await this.parts.store.remove(push);
    if (!agentNotifies(request)) return;
    const direction = { from: '1.0', to: request.view.document.endpoint.version } as const;
    const params = translateParams(
      'deletePushConfig',
      { taskId: push.taskId, id: push.record.id },
      direction,
    );
    await this.parts.calls.call(request, 'deletePushConfig', params);
  }
}

const subjectOf = ({ userId, keyId, clientId, trustId }: PushSubject): PushSubject => ({
  ...{ userId, keyId, clientId, trustId },
});

const tooManyPolled = (): GatewayError =>
  new GatewayError('unavailable', {
    message: 'Too many tasks of the workspace are polled for notifications; retry later.',
    headers: { 'retry-after': '60' },
  });

const agentNotifies = ({ view }: AgentRequest): boolean => view.abilities.push === 'relay';

/** Returns a config for the client, without its secrets. */
const shown = ({ taskId }: TaskRecord, { id, url, authentication }: PushConfig): Members => ({
  taskId,
  ...(id !== null && { id }),
  url,
  ...(authentication !== null && { authentication: { scheme: authentication.scheme } }),
});
