import { stateTo03 } from '../enums';
import { isSet, listAt, moved, objectAt, picked, pickedTexts, ShapeFault, type Members } from '../members';
import { CANCELED, CANCELLED, EVENTS, TO_JSON_ROLES } from './names';

const roleToJson = (role: unknown): unknown => TO_JSON_ROLES.get(role) ?? role;
const stateToJson = (state: unknown): unknown =>
  typeof state === 'string' && state.startsWith('TASK_STATE_')
    ? stateTo03(state === CANCELLED ? CANCELED : state)
    : state;

function partToJson(value: unknown, path: string): Members {
  const part = objectAt(value, path);
  if (isSet(part['kind'])) return part;
  const metadata = picked(part, ['metadata']);
  if (isSet(part['text'])) return { kind: 'text', text: part['text'], ...metadata };
  if (isSet(part['file'])) {
    const file = objectAt(part['file'], `${path}.file`);
    const content = {
      ...moved(file, 'fileWithUri', 'uri'),
      ...moved(file, 'fileWithBytes', 'bytes'),
      ...picked(file, ['uri', 'bytes']),
    };
    return { kind: 'file', file: { ...content, ...pickedTexts(file, ['mimeType', 'name']) }, ...metadata };
  }
  if (!isSet(part['data'])) throw new ShapeFault(path, 'must have one of text, file, data');
  return { kind: 'data', data: objectAt(part['data'], `${path}.data`)['data'] ?? {}, ...metadata };
}

const partsToJson = (parts: unknown, path: string): Members[] => listAt(parts, path, partToJson);

/** Returns a message in the form of JSON-RPC. Throws `ShapeFault`. */
export function messageToJson(value: unknown, path: string): Members {
  const message = objectAt(value, path);
  const { content, parts } = message;
  return {
    kind: 'message',
    ...picked(message, ['messageId', 'metadata', 'extensions', 'referenceTaskIds']),
    ...pickedTexts(message, ['contextId', 'taskId']),
    ...moved(message, 'role', 'role', roleToJson),
    parts: partsToJson(isSet(parts) ? parts : (content ?? []), `${path}.content`),
  };
}

function statusToJson(value: unknown, path: string): Members {
  const status = objectAt(value, path);
  const message = status['message'] ?? status['update'];
  return {
    ...picked(status, ['timestamp']),
    ...moved(status, 'state', 'state', stateToJson),
    ...(isSet(message) && { message: messageToJson(message, `${path}.message`) }),
  };
}

const artifactToJson = (value: unknown, path: string): Members => {
  const artifact = objectAt(value, path);
  return {
    ...artifact,
    ...moved(artifact, 'parts', 'parts', (parts) => partsToJson(parts, `${path}.parts`)),
  };
};

/** Returns a task in the form of JSON-RPC. Throws `ShapeFault`. */
export function taskToJson(value: unknown, path: string): Members {
  const task = objectAt(value, path);
  return {
    ...{ ...task, kind: 'task' },
    ...moved(task, 'status', 'status', (status) => statusToJson(status, `${path}.status`)),
    ...moved(task, 'artifacts', 'artifacts', (all) => listAt(all, `${path}.artifacts`, artifactToJson)),
    ...moved(task, 'history', 'history', (all) => listAt(all, `${path}.history`, messageToJson)),
  };
}

/** Returns an event in the form of JSON-RPC. Throws `ShapeFault`. */
export function eventToJson(value: unknown, path = 'result'): Members {
  const event = objectAt(value, path);
  if (isSet(event['kind'])) return event;
  const named: Members =
    isSet(event['message']) && !isSet(event['msg']) ? { ...event, msg: event['message'] } : event;
  const found = EVENTS.find(([, member]) => isSet(named[member]));
  if (found === undefined)
    throw new ShapeFault(path, `must have one of ${EVENTS.map(([, member]) => member).join(', ')}`);
  const [kind, member] = found;
  const inner = objectAt(named[member], `${path}.${member}`);
  if (kind === 'task') return taskToJson(inner, path);
  if (kind === 'message') return messageToJson(inner, path);
  const status = moved(inner, 'status', 'status', (each) => statusToJson(each, `${path}.status`));
  const artifact = moved(inner, 'artifact', 'artifact', (each) => artifactToJson(each, `${path}.artifact`));
  return { ...inner, kind, ...status, ...artifact };
}

/**
 * Returns a config in the form of JSON-RPC; its `name` is
 * `tasks/{task}/pushNotificationConfigs/{config}`. Throws `ShapeFault`.
 */
export function pushConfigToJson(value: unknown, path: string): Members {
  const config = objectAt(value, path);
  const [, taskId] =
    /^tasks\/([^/]{1,512})\//.exec(typeof config['name'] === 'string' ? config['name'] : '') ?? [];
  return {
    ...(taskId === undefined ? {} : { taskId }),
    ...picked(config, ['taskId', 'pushNotificationConfig']),
  };
}
