import { isObject } from '@gw/kernel';
import { knownState } from '../shapes/enums';
import { ID_LENGTH_MAX, isSet, type Members } from '../shapes/members';

/** A time by RFC 3339. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const isId = (value: unknown): boolean => typeof value === 'string' && value.length <= ID_LENGTH_MAX;
const isFlag = (value: unknown): boolean => typeof value === 'boolean';

const kept = (from: Members, names: readonly string[], isKept: (value: unknown) => boolean): Members =>
  Object.fromEntries(names.filter((name) => isKept(from[name])).map((name) => [name, from[name]]));

function bareStatus(status: unknown): Members {
  if (!isObject(status)) return {};
  const { state, timestamp } = status;
  return {
    status: {
      ...(isSet(state) && { state: knownState(state) ?? 'TASK_STATE_UNSPECIFIED' }),
      ...(typeof timestamp === 'string' && TIME.test(timestamp) && { timestamp }),
    },
  };
}

/**
 * Returns an event of 1.0 without the agent's texts: only ids, states and times. Returns null for a
 * message, which has nothing else. A client reads the rest with `GetTask`.
 */
export function bareEvent({ task, statusUpdate, artifactUpdate }: Members): Members | null {
  if (isObject(task))
    return { task: { ...kept(task, ['id', 'contextId'], isId), ...bareStatus(task['status']) } };
  if (isObject(statusUpdate)) {
    const ids = kept(statusUpdate, ['taskId', 'contextId'], isId);
    return { statusUpdate: { ...ids, ...bareStatus(statusUpdate['status']) } };
  }
  if (!isObject(artifactUpdate)) return null;
  const { artifact } = artifactUpdate;
  const ids = kept(artifactUpdate, ['taskId', 'contextId'], isId);
  const flags = kept(artifactUpdate, ['append', 'lastChunk'], isFlag);
  const id = isObject(artifact) ? kept(artifact, ['artifactId'], isId) : {};
  return { artifactUpdate: { ...ids, ...flags, artifact: { ...id, parts: [] } } };
}
