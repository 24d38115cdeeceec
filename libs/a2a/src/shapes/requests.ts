import type { Operation } from '../protocol/operations';
import { stateTo03, stateTo10 } from './enums';
import { isSet, listAt, moved, objectAt, picked, pickedTexts, type Members } from './members';
import { messageTo03, messageTo10 } from './tasks';

const CONFIGURATION = ['acceptedOutputModes', 'historyLength'];
const PUSH_CONFIG = ['id', 'url', 'token'];

/**
 * Returns a push notification config of 0.3 as 1.0 writes it; if it has several schemes, with the
 * first one. Throws `ShapeFault`.
 */
export function pushConfigTo10(value: unknown, path = 'pushNotificationConfig'): Members {
  const config = objectAt(value, path);
  return {
    ...picked(config, PUSH_CONFIG),
    ...moved(config, 'authentication', 'authentication', (inner) => {
      const authentication = objectAt(inner, `${path}.authentication`);
      const schemes = authentication['schemes'];
      const [scheme]: readonly unknown[] = isSet(schemes)
        ? listAt(schemes, `${path}.authentication.schemes`, (each) => each)
        : [];
      return { ...picked({ scheme }, ['scheme']), ...picked(authentication, ['credentials']) };
    }),
  };
}

/**
 * Returns a push notification config of 1.0 as 0.3 writes it, without its task. Throws
 * `ShapeFault`.
 */
export function pushConfigTo03(value: unknown, path = 'pushNotificationConfig'): Members {
  const config = objectAt(value, path);
  return {
    ...pickedTexts(config, PUSH_CONFIG),
    ...moved(config, 'authentication', 'authentication', (inner) => {
      const authentication = objectAt(inner, `${path}.authentication`);
      return {
        ...moved(authentication, 'scheme', 'schemes', (scheme) => [scheme]),
        ...pickedTexts(authentication, ['credentials']),
      };
    }),
  };
}

/**
 * Returns the push notification config of a task of 0.3 as 1.0 writes it: one flat object. Throws
 * `ShapeFault`.
 */
export function taskPushConfigTo10(value: unknown, path = 'params'): Members {
  const config = objectAt(value, path);
  const inner = config['pushNotificationConfig'];
  return {
    ...picked(config, ['taskId']),
    ...(isSet(inner) ? pushConfigTo10(inner, `${path}.pushNotificationConfig`) : {}),
  };
}

/** Returns the push notification config of a task of 1.0 as 0.3 writes it. Throws `ShapeFault`. */
export function taskPushConfigTo03(value: unknown, path = 'params'): Members {
  const config = objectAt(value, path);
  return { ...pickedTexts(config, ['taskId']), pushNotificationConfig: pushConfigTo03(config, path) };
}

/**
 * Returns the configuration of a message of 0.3 as 1.0 writes it: `returnImmediately` is the
 * inverse of `blocking`. Throws `ShapeFault`.
 */
export function configurationTo10(value: unknown, path = 'configuration'): Members {
  const configuration = objectAt(value, path);
  return {
    ...picked(configuration, CONFIGURATION),
    ...moved(configuration, 'blocking', 'returnImmediately', (blocking) => blocking !== true),
    ...moved(configuration, 'pushNotificationConfig', 'taskPushNotificationConfig', (config) =>
      pushConfigTo10(config, `${path}.pushNotificationConfig`),
    ),
  };
}

/**
 * Returns the configuration of a message of 1.0 as 0.3 writes it. It always has `blocking`, because
 * agents of 0.3 interpret its absence differently. Throws `ShapeFault`.
 */
export function configurationTo03(value: unknown, path = 'configuration'): Members {
  const configuration = objectAt(value, path);
  return {
    ...picked(configuration, CONFIGURATION),
    blocking: configuration['returnImmediately'] !== true,
    ...moved(configuration, 'taskPushNotificationConfig', 'pushNotificationConfig', (config) =>
      pushConfigTo03(config, `${path}.taskPushNotificationConfig`),
    ),
  };
}

/** Returns parameters of `message/send` as those of `SendMessage`. Throws `ShapeFault`. */
export function sendTo10(params: Members): Members {
  return {
    ...picked(params, ['metadata']),
    ...moved(params, 'message', 'message', (message) => messageTo10(message)),
    ...moved(params, 'configuration', 'configuration', (configuration) => configurationTo10(configuration)),
  };
}

/** Returns parameters of `SendMessage` as those of `message/send`. Throws `ShapeFault`. */
export function sendTo03(params: Members): Members {
  return {
    ...picked(params, ['metadata']),
    ...moved(params, 'message', 'message', (message) => messageTo03(message)),
    ...moved(params, 'configuration', 'configuration', (configuration) => configurationTo03(configuration)),
  };
}

const LIST = ['contextId', 'pageSize', 'pageToken', 'historyLength', 'includeArtifacts'];

/**
 * Translates the parameters for listing tasks. In 0.3 only the HTTP+JSON binding has this
 * operation; its filter has a state of 0.3.
 */
const listTo = (params: Members, state: (value: unknown) => string): Members => ({
  ...picked(params, [...LIST, 'statusTimestampAfter']),
  ...moved(params, 'status', 'status', state),
});

interface Translations {
  readonly to10: (params: Members) => Members;
  readonly to03: (params: Members) => Members;
}

/**
 * Translations of operations on one push config: 0.3 names it by `id` (task) and
 * `pushNotificationConfigId`, 1.0 by `taskId` and `id`.
 */
const ON_PUSH_CONFIG: Translations = {
  to10: (params) => ({
    ...moved(params, 'id', 'taskId'),
    ...moved(params, 'pushNotificationConfigId', 'id'),
  }),
  to03: (params) => ({
    ...moved(params, 'taskId', 'id'),
    ...moved(params, 'id', 'pushNotificationConfigId'),
  }),
};
const ON_TASK: Translations = {
  to10: (params) => picked(params, ['id', 'historyLength', 'metadata']),
  to03: (params) => picked(params, ['id', 'historyLength', 'metadata']),
};
const SEND: Translations = { to10: sendTo10, to03: sendTo03 };

const BY_OPERATION: Readonly<Record<Operation, Translations>> = {
  sendMessage: SEND,
  sendStreamingMessage: SEND,
  getTask: ON_TASK,
  cancelTask: ON_TASK,
  subscribeToTask: ON_TASK,
  listTasks: {
    to10: (params) => listTo(params, stateTo10),
    to03: (params) => listTo(params, stateTo03),
  },
  createPushConfig: { to10: taskPushConfigTo10, to03: taskPushConfigTo03 },
  getPushConfig: ON_PUSH_CONFIG,
  listPushConfigs: ON_PUSH_CONFIG,
  deletePushConfig: ON_PUSH_CONFIG,
  getExtendedCard: { to10: () => ({}), to03: () => ({}) },
};

/** Returns the parameters of an operation of 0.3 as 1.0 writes them. Throws `ShapeFault`. */
export const paramsTo10 = (operation: Operation, params: Members): Members =>
  BY_OPERATION[operation].to10(params);

/** Returns the parameters of an operation of 1.0 as 0.3 writes them. Throws `ShapeFault`. */
export const paramsTo03 = (operation: Operation, params: Members): Members =>
  BY_OPERATION[operation].to03(params);
