import { knownState } from '../shapes/enums';
import { ID_LENGTH_MAX, isSet, objectAt, ShapeFault, type Members } from '../shapes/members';
import { paramsTo10 } from '../shapes/requests';
import { messageTo03 } from '../shapes/tasks';
import { withErrorKind } from '../shapes/translate';
import type { Operation } from './operations';
import type { A2aCall } from './read-call';

/** Maximum number of parts of one message. */
export const PARTS_MAX = 100;
const PAGE_SIZE_MAX = 100;
const URL_LENGTH_MAX = 2_048;
const HISTORY_LENGTH_MAX = 2_147_483_647;

/** A call that is well-formed. */
export interface CheckedCall extends A2aCall {
  /** The parameters as 1.0 writes them, whatever the version of the call. */
  readonly params10: Members;
}

/**
 * Checks the parameters of a call against its operation. Throws `A2aError` `invalidParams`, naming
 * the member.
 */
export function checkCall(call: A2aCall): CheckedCall {
  return withErrorKind('invalidParams', () => {
    const params10 = call.version === '1.0' ? call.params : paramsTo10(call.operation, call.params);
    CHECKS[call.operation](params10, call);
    return { ...call, params10 };
  });
}

type Check = (params: Members, call: A2aCall) => void;

function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= lengthMax;
}

function requireId(from: Members, name: string, path = 'params'): void {
  if (!isText(from[name], ID_LENGTH_MAX))
    throw new ShapeFault(`${path}.${name}`, `must be a text of 1 to ${String(ID_LENGTH_MAX)} characters`);
}

/**
 * Checks an optional id. An empty text counts as absent, because serialisers of 1.0 write it for no
 * value.
 */
function allowId(from: Members, name: string, path = 'params'): void {
  if (isSet(from[name]) && from[name] !== '') requireId(from, name, path);
}

function allowInteger(from: Members, name: string, [min, max]: readonly [number, number]): void {
  const value = from[name];
  if (isSet(value) && !(Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max))
    throw new ShapeFault(name, `must be an integer of ${String(min)} to ${String(max)}`);
}

function allowObject(from: Members, name: string, path = 'params'): void {
  if (isSet(from[name])) objectAt(from[name], `${path}.${name}`);
}

const HISTORY = [0, HISTORY_LENGTH_MAX] as const;

function checkSend(params: Members): void {
  const message = objectAt(params['message'], 'message');
  requireId(message, 'messageId', 'message');
  if (!isSet(message['role'])) throw new ShapeFault('message.role', 'is required');
  for (const name of ['contextId', 'taskId']) allowId(message, name, 'message');
  const { parts } = message;
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > PARTS_MAX)
    throw new ShapeFault('message.parts', `must be a list of 1 to ${String(PARTS_MAX)} parts`);
  // The translation reads every member, so it throws for any wrong shape.
  messageTo03(message);
  allowObject(message, 'metadata', 'message');
  allowObject(params, 'metadata');
  if (!isSet(params['configuration'])) return;
  const configuration = objectAt(params['configuration'], 'configuration');
  allowInteger(configuration, 'historyLength', HISTORY);
  const { taskPushNotificationConfig: push } = configuration;
  if (isSet(push)) checkPushConfig(objectAt(push, 'configuration.taskPushNotificationConfig'));
}

/** Checks only the shape; `readPushConfig` checks whether the address may be called. */
function checkPushConfig(config: Members): void {
  allowId(config, 'id', 'pushNotificationConfig');
  if (!isText(config['url'], URL_LENGTH_MAX))
    throw new ShapeFault('pushNotificationConfig.url', 'must be a URL');
  allowObject(config, 'authentication', 'pushNotificationConfig');
}

const checkTaskId: Check = (params) => {
  requireId(params, 'id');
  allowInteger(params, 'historyLength', HISTORY);
  allowObject(params, 'metadata');
};

/**
 * Checks an operation on a push config. In 0.3 the id of the config may be absent if the task has
 * only one.
 */
const checkOnConfig: Check = (params, { version }) => {
  requireId(params, 'taskId');
  if (version === '1.0') requireId(params, 'id');
  else allowId(params, 'id');
};

const CHECKS: Readonly<Record<Operation, Check>> = {
  sendMessage: checkSend,
  sendStreamingMessage: checkSend,
  getTask: checkTaskId,
  cancelTask: checkTaskId,
  subscribeToTask: checkTaskId,
  listTasks: (params) => {
    allowId(params, 'contextId');
    const { status } = params;
    if (isSet(status) && status !== '' && knownState(status) === null)
      throw new ShapeFault('status', 'must be the state of a task');
    allowInteger(params, 'pageSize', [1, PAGE_SIZE_MAX]);
    allowInteger(params, 'historyLength', HISTORY);
  },
  createPushConfig: (params) => {
    requireId(params, 'taskId');
    checkPushConfig(params);
  },
  getPushConfig: checkOnConfig,
  deletePushConfig: checkOnConfig,
  listPushConfigs: (params) => {
    requireId(params, 'taskId');
  },
  getExtendedCard: () => undefined,
};
