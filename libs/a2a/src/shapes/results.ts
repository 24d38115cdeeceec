import type { Operation } from '../protocol/operations';
import { eventTo03, eventTo10 } from './events';
import { isSet, listAt, objectAt } from './members';
import { taskPushConfigTo03, taskPushConfigTo10 } from './requests';
import { taskTo03, taskTo10 } from './tasks';

/**
 * Operations whose result is translated. The extended card is rewritten like other cards instead.
 */
export type TranslatedOperation = Exclude<Operation, 'getExtendedCard'>;

interface Translations {
  readonly to10: (result: unknown) => unknown;
  readonly to03: (result: unknown) => unknown;
}

const EVENT: Translations = { to10: eventTo10, to03: eventTo03 };
const TASK: Translations = {
  to10: (result) => taskTo10(result, 'result'),
  to03: (result) => taskTo03(result, 'result'),
};
const PUSH_CONFIG: Translations = {
  to10: (result) => taskPushConfigTo10(result, 'result'),
  to03: (result) => taskPushConfigTo03(result, 'result'),
};

/** Returns a list that 1.0 omits when it is empty. */
const listOf = (result: unknown, member: string): unknown => {
  const list = objectAt(result, 'result')[member];
  return isSet(list) ? list : [];
};

const BY_OPERATION: Readonly<Record<TranslatedOperation, Translations>> = {
  sendMessage: EVENT,
  sendStreamingMessage: EVENT,
  subscribeToTask: EVENT,
  getTask: TASK,
  cancelTask: TASK,
  listTasks: {
    to10: (result) => {
      const tasks = listAt(result, 'result', taskTo10);
      return { tasks, nextPageToken: '', pageSize: tasks.length, totalSize: tasks.length };
    },
    to03: (result) => listAt(listOf(result, 'tasks'), 'result.tasks', taskTo03),
  },
  createPushConfig: PUSH_CONFIG,
  getPushConfig: PUSH_CONFIG,
  listPushConfigs: {
    to10: (result) => ({ configs: listAt(result, 'result', taskPushConfigTo10) }),
    to03: (result) => listAt(listOf(result, 'configs'), 'result.configs', taskPushConfigTo03),
  },
  deletePushConfig: { to10: () => ({}), to03: () => null },
};

/**
 * Returns the result of an operation, or one event of its stream, of 0.3 as 1.0 writes it. Throws
 * `ShapeFault`.
 */
export const resultTo10 = (operation: TranslatedOperation, result: unknown): unknown =>
  BY_OPERATION[operation].to10(result);

/**
 * Returns the result of an operation, or one event of its stream, of 1.0 as 0.3 writes it. Throws
 * `ShapeFault`.
 */
export const resultTo03 = (operation: TranslatedOperation, result: unknown): unknown =>
  BY_OPERATION[operation].to03(result);
