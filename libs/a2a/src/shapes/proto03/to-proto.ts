import { isObject } from '@gw/kernel';
import { stateTo10 } from '../enums';
import { isSet, listAt, moved, objectAt, pickedTexts, ShapeFault, type Members } from '../members';
import { CANCELED, CANCELLED, EVENTS, TO_PROTO_ROLES } from './names';

const roleToProto = (role: unknown): unknown => TO_PROTO_ROLES.get(role) ?? role;
const stateToProto = (state: unknown): string => {
  const named = stateTo10(state);
  return named === CANCELED ? CANCELLED : named;
};

function partToProto(value: unknown, path: string): Members {
  const { kind, text, file, data, metadata } = objectAt(value, path);
  const more = isSet(metadata) ? { metadata } : {};
  if (kind === 'text') return { text, ...more };
  if (kind === 'data') return { data: { data }, ...more };
  const { uri, bytes, ...rest } = objectAt(file, `${path}.file`);
  const content = isSet(uri) ? { fileWithUri: uri } : { fileWithBytes: bytes };
  return { file: { ...content, ...pickedTexts(rest, ['mimeType', 'name']) }, ...more };
}

const partsToProto = (parts: unknown, path: string): Members[] => listAt(parts, path, partToProto);

/** Returns a message as protocol buffers have it. Throws `ShapeFault`. */
export function messageToProto(value: unknown, path: string): Members {
  const { kind: _kind, parts, role, ...message } = objectAt(value, path);
  return { ...message, role: roleToProto(role), content: partsToProto(parts ?? [], `${path}.parts`) };
}

function statusToProto(value: unknown, path: string): Members {
  const status = objectAt(value, path);
  return {
    ...status,
    ...moved(status, 'state', 'state', stateToProto),
    ...moved(status, 'message', 'message', (message) => messageToProto(message, `${path}.message`)),
  };
}

const artifactToProto = (value: unknown, path: string): Members => {
  const artifact = objectAt(value, path);
  return {
    ...artifact,
    ...moved(artifact, 'parts', 'parts', (parts) => partsToProto(parts, `${path}.parts`)),
  };
};

/** Returns a task as protocol buffers have it. Throws `ShapeFault`. */
export function taskToProto(value: unknown, path: string): Members {
  const { kind: _kind, ...task } = objectAt(value, path);
  return {
    ...task,
    ...moved(task, 'status', 'status', (status) => statusToProto(status, `${path}.status`)),
    ...moved(task, 'artifacts', 'artifacts', (all) => listAt(all, `${path}.artifacts`, artifactToProto)),
    ...moved(task, 'history', 'history', (all) => listAt(all, `${path}.history`, messageToProto)),
  };
}

/** Returns an event as protocol buffers have it. Throws `ShapeFault`. */
export function eventToProto(value: unknown, path = 'result'): Members {
  const { kind, ...event } = objectAt(value, path);
  const found = EVENTS.find(([json]) => json === kind);
  if (found === undefined)
    throw new ShapeFault(`${path}.kind`, `must be ${EVENTS.map(([json]) => json).join(', ')}`);
  const [json, member] = found;
  if (json === 'task') return { task: taskToProto(event, path) };
  if (json === 'message') return { msg: messageToProto(event, path) };
  const status = moved(event, 'status', 'status', (each) => statusToProto(each, `${path}.status`));
  const artifact = moved(event, 'artifact', 'artifact', (each) => artifactToProto(each, `${path}.artifact`));
  return { [member]: { ...event, ...status, ...artifact } };
}

/** Returns a config as protocol buffers have it. Throws `ShapeFault`. */
export function pushConfigToProto(value: unknown, path: string): Members {
  const { taskId, pushNotificationConfig } = objectAt(value, path);
  const id = isObject(pushNotificationConfig) ? pushNotificationConfig['id'] : undefined;
  const name = `tasks/${String(taskId)}/pushNotificationConfigs/${typeof id === 'string' ? id : ''}`;
  return { name, pushNotificationConfig };
}
