import { isObject } from '@gw/kernel';
import type { Operation } from '../../protocol/operations';
import type { A2aVersion } from '../../protocol/versions';
import { isSet, listAt, moved, objectAt, picked, type Members } from '../members';
import { withErrorKind } from '../translate';
import { eventToJson, messageToJson, pushConfigToJson, taskToJson } from './to-json';
import { eventToProto, messageToProto, pushConfigToProto, taskToProto } from './to-proto';

/**
 * The HTTP+JSON binding of 0.3 uses the JSON of protocol buffers, which differs from that of
 * JSON-RPC in 0.3: `content` for parts, `request` for the message of a request, names of enums, and
 * `{task}` or `{msg}` around results. These functions translate between the two, so that other code
 * handles only one form of 0.3. Values that already have the target form are accepted. In 1.0, both
 * bindings have the same form.
 */

const SENDS: ReadonlySet<Operation> = new Set<Operation>(['sendMessage', 'sendStreamingMessage']);

/** Returns parameters of HTTP+JSON in the form of JSON-RPC. Throws `A2aError` `invalidParams`. */
export const rpcParams = (operation: Operation, params: Members, version: A2aVersion): Members =>
  version === '1.0' ? params : withErrorKind('invalidParams', () => toJsonParams(operation, params));

/** Returns parameters of JSON-RPC in the form of HTTP+JSON. Throws `A2aError` `invalidParams`. */
export const restFormParams = (operation: Operation, params: Members, version: A2aVersion): Members =>
  version === '1.0' ? params : withErrorKind('invalidParams', () => toProtoParams(operation, params));

/**
 * Returns a result or event of HTTP+JSON in the form of JSON-RPC. Throws `A2aError`
 * `invalidAgentResponse`.
 */
export const rpcResult = (operation: Operation, result: unknown, version: A2aVersion): unknown =>
  version === '1.0' ? result : withErrorKind('invalidAgentResponse', () => RESULTS[operation].toJson(result));

/**
 * Returns a result or event of JSON-RPC in the form of HTTP+JSON. Throws `A2aError`
 * `invalidAgentResponse`.
 */
export const restResult = (operation: Operation, result: unknown, version: A2aVersion): unknown =>
  version === '1.0'
    ? result
    : withErrorKind('invalidAgentResponse', () => RESULTS[operation].toProto(result));

function toJsonParams(operation: Operation, params: Members): Members {
  if (operation === 'createPushConfig') return pushConfigToJson(params, 'params');
  if (!SENDS.has(operation)) return params;
  const message = params['request'] ?? params['message'];
  const { configuration } = params;
  return {
    ...picked(params, ['metadata']),
    ...(isSet(message) && { message: messageToJson(message, 'message') }),
    ...(isSet(configuration) && {
      configuration: configurationToJson(configuration, isSet(params['request'])),
    }),
  };
}

/**
 * Translates a configuration. Protocol buffers omit `false`, whereas in the form of JSON-RPC agents
 * wait unless `blocking` is false.
 */
function configurationToJson(value: unknown, isProto: boolean): Members {
  const configuration = objectAt(value, 'configuration');
  return {
    ...(isProto && { blocking: false }),
    ...picked(configuration, ['acceptedOutputModes', 'historyLength', 'blocking', 'pushNotificationConfig']),
    ...moved(configuration, 'pushNotification', 'pushNotificationConfig'),
  };
}

function toProtoParams(operation: Operation, params: Members): Members {
  if (operation === 'createPushConfig')
    return { taskId: params['taskId'], ...pushConfigToProto(params, 'params') };
  if (!SENDS.has(operation)) return params;
  const { message, configuration } = params;
  return {
    ...picked(params, ['metadata']),
    request: messageToProto(message, 'message'),
    ...(isSet(configuration) && { configuration: configurationToProto(configuration) }),
  };
}

function configurationToProto(value: unknown): Members {
  const configuration = objectAt(value, 'configuration');
  return {
    ...picked(configuration, ['acceptedOutputModes', 'historyLength']),
    blocking: configuration['blocking'] !== false,
    ...moved(configuration, 'pushNotificationConfig', 'pushNotification'),
  };
}

interface ResultForms {
  readonly toJson: (result: unknown) => unknown;
  readonly toProto: (result: unknown) => unknown;
}

const EVENT: ResultForms = {
  toJson: (event) => eventToJson(event),
  toProto: (event) => eventToProto(event),
};
const TASK: ResultForms = {
  toJson: (task) => taskToJson(task, 'result'),
  toProto: (task) => taskToProto(task, 'result'),
};
const CONFIG: ResultForms = {
  toJson: (config) => pushConfigToJson(config, 'result'),
  toProto: (config) => pushConfigToProto(config, 'result'),
};
const SAME: ResultForms = { toJson: (result) => result, toProto: (result) => result };

/**
 * Returns the list in a result: in JSON-RPC it is the result itself, in protocol buffers a member
 * of it.
 */
const listIn = (result: unknown, member: string): unknown =>
  isObject(result) ? (result[member] ?? []) : result;

const RESULTS: Readonly<Record<Operation, ResultForms>> = {
  sendMessage: EVENT,
  sendStreamingMessage: EVENT,
  subscribeToTask: EVENT,
  getTask: TASK,
  cancelTask: TASK,
  listTasks: {
    toJson: (result) => listAt(listIn(result, 'tasks'), 'result.tasks', taskToJson),
    toProto: (result) => ({ tasks: listAt(listIn(result, 'tasks'), 'result', taskToProto) }),
  },
  createPushConfig: CONFIG,
  getPushConfig: CONFIG,
  listPushConfigs: {
    toJson: (result) => listAt(listIn(result, 'configs'), 'result.configs', pushConfigToJson),
    toProto: (result) => ({ configs: listAt(listIn(result, 'configs'), 'result', pushConfigToProto) }),
  },
  deletePushConfig: SAME,
  getExtendedCard: SAME,
};
