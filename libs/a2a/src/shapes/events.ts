import { isSet, objectAt, ShapeFault, type Members } from './members';
import {
  artifactUpdateTo03,
  artifactUpdateTo10,
  messageTo03,
  messageTo10,
  statusUpdateTo03,
  statusUpdateTo10,
  taskTo03,
  taskTo10,
} from './tasks';

/** Members of the event union of 1.0, each with the `kind` of 0.3 and the translations. */
const KINDS = [
  { member: 'task', kind: 'task', to10: taskTo10, to03: taskTo03 },
  { member: 'message', kind: 'message', to10: messageTo10, to03: messageTo03 },
  { member: 'statusUpdate', kind: 'status-update', to10: statusUpdateTo10, to03: statusUpdateTo03 },
  { member: 'artifactUpdate', kind: 'artifact-update', to10: artifactUpdateTo10, to03: artifactUpdateTo03 },
] as const;

/** Kind of an event of a stream, by its member in version 1.0. */
export type EventKind = (typeof KINDS)[number]['member'];

/** Returns `kind` of a value of 0.3. Older agents omit it; it is then derived from the members. */
function kindOf(event: Members): unknown {
  if (isSet(event['kind'])) return event['kind'];
  if (isSet(event['artifact'])) return 'artifact-update';
  if (isSet(event['messageId'])) return 'message';
  if (isSet(event['status'])) return isSet(event['id']) ? 'task' : 'status-update';
  return undefined;
}

/**
 * Returns a result of `message/send` or an event of a stream of 0.3 as 1.0 writes it: `{task}`,
 * `{message}`, `{statusUpdate}` or `{artifactUpdate}`. Throws `ShapeFault`.
 */
export function eventTo10(value: unknown, path = 'result'): Members {
  const event = objectAt(value, path);
  const kind = kindOf(event);
  const found = KINDS.find((each) => each.kind === kind);
  if (found === undefined)
    throw new ShapeFault(`${path}.kind`, `must be ${KINDS.map((each) => each.kind).join(', ')}`);
  return { [found.member]: found.to10(event, path) };
}

/**
 * Returns the kind of an event of 1.0. Throws `ShapeFault` unless it has exactly one of the four
 * members.
 */
export function eventKind(value: unknown, path = 'result'): EventKind {
  const event = objectAt(value, path);
  const [found, ...others] = KINDS.filter(({ member }) => isSet(event[member]));
  if (found === undefined || others.length > 0)
    throw new ShapeFault(path, `must have one of ${KINDS.map(({ member }) => member).join(', ')}`);
  return found.member;
}

/**
 * Returns a `SendMessageResponse` or `StreamResponse` of 1.0 as 0.3 writes it. Throws `ShapeFault`.
 */
export function eventTo03(value: unknown, path = 'result'): Members {
  const event = objectAt(value, path);
  const member = eventKind(event, path);
  const { to03 } = KINDS.find((each) => each.member === member) ?? KINDS[0];
  return to03(event[member], `${path}.${member}`);
}

/**
 * Ids of the task and context that an event of 1.0 belongs to; null for a missing id. Throws
 * `ShapeFault`.
 */
export function eventIds(value: unknown): { readonly taskId: unknown; readonly contextId: unknown } {
  const member = eventKind(value);
  const { id, taskId, contextId } = objectAt(objectAt(value, 'result')[member], `result.${member}`);
  return { taskId: (member === 'task' ? id : taskId) ?? null, contextId: contextId ?? null };
}
