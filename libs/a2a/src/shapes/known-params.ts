import { isObject } from '@gw/kernel';
import type { Operation } from '../protocol/operations';
import type { A2aVersion } from '../protocol/versions';
import type { Members } from './members';

/** Names of the members that a version defines. */
type Names = Readonly<Record<A2aVersion, readonly string[]>>;

const MESSAGE_IDS = ['messageId', 'contextId', 'taskId', 'referenceTaskIds'];
const MESSAGE: Names = {
  '0.3': ['kind', 'role', ...MESSAGE_IDS, 'metadata', 'extensions'],
  '1.0': ['role', ...MESSAGE_IDS, 'metadata', 'extensions'],
};
const PART: Names = {
  '0.3': ['kind', 'text', 'data', 'metadata'],
  '1.0': ['text', 'raw', 'url', 'data', 'mediaType', 'filename', 'metadata'],
};
const FILE = ['bytes', 'uri', 'mimeType', 'name'];
const CONFIGURATION: Names = {
  '0.3': ['acceptedOutputModes', 'historyLength', 'blocking', 'pushNotificationConfig'],
  '1.0': ['acceptedOutputModes', 'historyLength', 'returnImmediately', 'taskPushNotificationConfig'],
};
const TASK = ['id', 'historyLength', 'metadata'];

/** Returns the named members, null ones too: as data of a part, null is a value. */
const kept = (from: Members, names: readonly string[]): Members =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));

/** Returns a member with the function applied to it; nothing when it is absent. */
const keptMember = (from: Members, name: string, keep: (value: unknown) => unknown): Members =>
  Object.hasOwn(from, name) ? { [name]: keep(from[name]) } : {};

/**
 * Returns the parameters of an operation with only the members that their version defines. Agents
 * also read other spellings, such as `task_id` for `taskId`, whose owners the gateway has not
 * checked.
 */
export function knownParams(operation: Operation, params: Members, version: A2aVersion): Members {
  switch (operation) {
    case 'sendMessage':
    case 'sendStreamingMessage':
      return {
        ...keptMember(params, 'message', (message) => knownMessage(message, version)),
        ...keptMember(params, 'configuration', (value) =>
          isObject(value) ? kept(value, CONFIGURATION[version]) : value,
        ),
        ...kept(params, ['metadata']),
      };
    case 'getTask':
    case 'cancelTask':
    case 'subscribeToTask':
      return kept(params, TASK);
    // The gateway itself writes the parameters of these.
    case 'listTasks':
    case 'createPushConfig':
    case 'getPushConfig':
    case 'listPushConfigs':
    case 'deletePushConfig':
    case 'getExtendedCard':
      return params;
  }
}

function knownMessage(message: unknown, version: A2aVersion): unknown {
  if (!isObject(message)) return message;
  return {
    ...kept(message, MESSAGE[version]),
    ...keptMember(message, 'parts', (parts) =>
      Array.isArray(parts) ? parts.map((part) => knownPart(part, version)) : parts,
    ),
  };
}

function knownPart(part: unknown, version: A2aVersion): unknown {
  if (!isObject(part)) return part;
  const file = version === '0.3' && isObject(part['file']) ? { file: kept(part['file'], FILE) } : {};
  return { ...kept(part, PART[version]), ...file };
}
