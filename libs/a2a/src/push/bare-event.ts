import { isObject } from '@gw/kernel';
import { picked, type Members } from '../shapes/members';

const bareStatus = (status: unknown): Members =>
  isObject(status) ? { status: picked(status, ['state', 'timestamp']) } : {};

/**
 * Returns an event of 1.0 without the agent's texts: only ids, states and times. Returns null for a
 * message, which has nothing else. A client reads the rest with `GetTask`.
 */
export function bareEvent({ task, statusUpdate, artifactUpdate }: Members): Members | null {
  if (isObject(task))
    return { task: { ...picked(task, ['id', 'contextId']), ...bareStatus(task['status']) } };
  if (isObject(statusUpdate)) {
    const ids = picked(statusUpdate, ['taskId', 'contextId']);
    return { statusUpdate: { ...ids, ...bareStatus(statusUpdate['status']) } };
  }
  if (!isObject(artifactUpdate)) return null;
  const { artifact } = artifactUpdate;
  const ids = picked(artifactUpdate, ['taskId', 'contextId', 'append', 'lastChunk']);
  const id = isObject(artifact) ? picked(artifact, ['artifactId']) : {};
  return { artifactUpdate: { ...ids, artifact: { ...id, parts: [] } } };
}
