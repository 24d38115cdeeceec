import { isObject, jsonStrings, withEditedStrings } from '@gw/kernel';
import { TASKS_EXTENSION, type Era, type JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { TASK_ID_MAX } from '../sealed/task-id';

/** Minimum poll interval that clients get, in milliseconds. */
const POLL_MS_MIN = 1_000;
const RELATED = 'io.modelcontextprotocol/related-task';

/**
 * Returns the task capabilities that the gateway announces for a server: `tasks` to clients with
 * sessions, the extension to other clients. Tasks of servers with sessions are bridged to the
 * extension. The reverse is not possible: a client with sessions decides that a call becomes a
 * task, whereas a server of the extension decides it itself.
 */
export function taskCapabilities(announced: JsonObject): JsonObject {
  const tasks = own(announced, 'tasks');
  const hasCalls = hasCoreTasks(announced);
  return {
    ...(hasCalls && {
      tasks: {
        list: {},
        ...(isObject(tasks) && isObject(own(tasks, 'cancel')) && { cancel: {} }),
        requests: { tools: { call: {} } },
      },
    }),
    ...((hasCalls || hasExtension(announced)) && { extensions: { [TASKS_EXTENSION]: {} } }),
  };
}

const hasExtension = (announced: JsonObject): boolean =>
  isObject(own(ownObject(announced, 'extensions'), TASKS_EXTENSION));

const hasCoreTasks = (announced: JsonObject): boolean =>
  isObject(own(ownObject(ownObject(ownObject(announced, 'tasks'), 'requests'), 'tools'), 'call'));

/**
 * Returns whether a server with sessions allows a tool only as a task, so that a client of the
 * extension gets a bridged task. A tool that can be called without a task is called so, because its
 * server can then request input from the user, which is not possible in a bridged task.
 */
export const isBridgedTool = (announced: JsonObject, definition: JsonObject): boolean =>
  hasCoreTasks(announced) &&
  !hasExtension(announced) &&
  own(ownObject(definition, 'execution'), 'taskSupport') === 'required';

/**
 * Returns a task of 2025-11-25 in the form of the extension. It leaves out members that only the
 * extension has, because no rule judged the server's requests for input and no guardrail its
 * results.
 */
export function bridgedTask(legacy: JsonObject): JsonObject {
  const { ttl, pollInterval, inputRequests: _requests, result: _result, error: _error, ...task } = legacy;
  return {
    ...task,
    ...(ttl !== undefined && { ttlMs: ttl }),
    ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }),
  };
}

/** Returns a result of 2025-11-25 that creates a task, in the form of the extension. */
export const bridgedCreation = ({ task: _task, ...created }: JsonObject, task: JsonObject): JsonObject => ({
  ...bridgedTask({ ...created, ...task }),
  resultType: 'task',
});

/** Returns the capabilities of a server as clients of an era read them. */
export function capabilitiesOfEra(capabilities: JsonObject, era: Era): JsonObject {
  const { tasks, extensions, ...rest } = capabilities;
  const { [TASKS_EXTENSION]: extension, ...others } = isObject(extensions) ? extensions : {};
  if (era === 'legacy')
    return {
      ...rest,
      ...(tasks !== undefined && { tasks }),
      ...(Object.keys(others).length > 0 && { extensions: others }),
    };
  const all = { ...others, ...(extension !== undefined && { [TASKS_EXTENSION]: extension }) };
  return { ...rest, ...(Object.keys(all).length > 0 && { extensions: all }) };
}

/**
 * Returns the server's id of the task that a result created; `era` is the server's. Null when the
 * result created no task, or one with an unusable id.
 */
export function createdTask(result: JsonObject, era: Era): string | null {
  const task = era === 'modern' ? result : ownObject(result, 'task');
  const id = own(task, 'taskId');
  return typeof id === 'string' && id !== '' && id.length <= TASK_ID_MAX ? id : null;
}

/**
 * Returns a task, or a result that creates one, without the members of a tool result. They do not
 * belong to a task, and guardrails would not judge them there.
 */
export function withoutToolResult(task: JsonObject): JsonObject {
  const { content: _content, structuredContent: _structured, isError: _isError, ...rest } = task;
  const created = own(rest, 'task');
  return isObject(created) ? { ...rest, task: withoutToolResult(created) } : rest;
}

/** Returns the result that creates a task, with the id that the client gets. */
export const shownCreation = (result: JsonObject, era: Era, taskId: string): JsonObject =>
  era === 'modern'
    ? shownTask(result, taskId)
    : { ...result, task: shownTask(ownObject(result, 'task'), taskId), ...relatedMeta(result, taskId) };

/**
 * Returns a task, or its result, with the id that the client knows and a poll interval of a second
 * or more.
 */
export function shownTask(task: JsonObject, taskId: string): JsonObject {
  return {
    ...task,
    ...(own(task, 'taskId') !== undefined && { taskId }),
    ...withPollMin(task, 'pollInterval'),
    ...withPollMin(task, 'pollIntervalMs'),
    ...relatedMeta(task, taskId),
  };
}

/**
 * Member of `_meta` of a new task with a text that the model gets until the task ends (MCP
 * 2025-11-25).
 */
const IMMEDIATE = 'io.modelcontextprotocol/model-immediate-response';

/**
 * Returns the texts that the server writes about a task, without its result. Guardrails judge them
 * like the texts of results.
 */
export const taskTexts = (task: JsonObject): readonly string[] => jsonStrings(writtenParts(task));

/** Returns a task with the texts of `taskTexts` replaced by `edit`. */
export function withEditedTask(task: JsonObject, edit: (text: string) => string): JsonObject {
  const edited = withEditedStrings(writtenParts(task), edit) as Partial<WrittenParts>;
  const meta = edited.immediate === undefined ? {} : { [IMMEDIATE]: edited.immediate };
  return {
    ...task,
    ...(edited.statusMessage !== undefined && { statusMessage: edited.statusMessage }),
    ...(edited.error !== undefined && { error: edited.error }),
    ...(edited.task !== undefined && { task: { ...ownObject(task, 'task'), statusMessage: edited.task } }),
    ...(edited.immediate !== undefined && { _meta: { ...ownObject(task, '_meta'), ...meta } }),
  };
}

interface WrittenParts {
  readonly statusMessage: unknown;
  readonly error: unknown;
  /** Status message of the task that a result of 2025-11-25 creates. */
  readonly task: unknown;
  readonly immediate: unknown;
}

function writtenParts(task: JsonObject): WrittenParts {
  return {
    statusMessage: own(task, 'statusMessage'),
    error: own(task, 'error'),
    task: own(ownObject(task, 'task'), 'statusMessage'),
    immediate: own(ownObject(task, '_meta'), IMMEDIATE),
  };
}

function withPollMin(task: JsonObject, name: string): JsonObject {
  const ms = own(task, name);
  return typeof ms === 'number' && ms < POLL_MS_MIN ? { [name]: POLL_MS_MIN } : {};
}

function relatedMeta(result: JsonObject, taskId: string): JsonObject {
  const meta = ownObject(result, '_meta');
  return own(meta, RELATED) === undefined ? {} : { _meta: { ...meta, [RELATED]: { taskId } } };
}
