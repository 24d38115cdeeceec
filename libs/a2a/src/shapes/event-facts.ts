import { isObject } from '@gw/kernel';
import { A2aError } from '../protocol/errors';
import { knownState, type TaskState } from './enums';
import { eventIds, eventKind, type EventKind } from './events';
import { ID_LENGTH_MAX, type Members } from './members';
import { withErrorKind } from './translate';

/** Ids and state in a result of `SendMessage` or an event of a stream. */
export interface EventFacts {
  readonly kind: EventKind;
  /** Id of the task; null for none. */
  readonly taskId: string | null;
  readonly contextId: string | null;
  /** State of the task; null for none. An unknown state is `TASK_STATE_UNSPECIFIED`. */
  readonly state: TaskState | null;
}

/** Returns kind, ids and state of an event of 1.0. Throws `A2aError` `invalidAgentResponse`. */
export function eventFacts(event: unknown): EventFacts {
  return withErrorKind('invalidAgentResponse', () => {
    const kind = eventKind(event);
    const { taskId, contextId } = eventIds(event);
    const member = (event as Members)[kind];
    const status: unknown = isObject(member) ? member['status'] : undefined;
    const state: unknown = isObject(status) ? status['state'] : undefined;
    return {
      kind,
      taskId: idOf(taskId),
      contextId: idOf(contextId),
      state: state === undefined || state === null ? null : (knownState(state) ?? 'TASK_STATE_UNSPECIFIED'),
    };
  });
}

function idOf(id: unknown): string | null {
  if (id === null || id === '') return null;
  if (typeof id === 'string' && id.length <= ID_LENGTH_MAX) return id;
  throw new A2aError('invalidAgentResponse', 'The response of the agent has an id that is not valid.');
}
