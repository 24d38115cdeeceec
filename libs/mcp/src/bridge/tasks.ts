import { isObject } from '@gw/kernel';
import { TASKS_EXTENSION, type Era, type JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { stringLeaves, withEditedLeaves } from '../rpc/texts';
import { TASK_ID_MAX } from '../sealed/task-id';

/** Clients poll a task once a second at most. */
const POLL_MS_MIN = 1_000;
const RELATED = 'io.modelcontextprotocol/related-task';

/**
 * Task capabilities that the gateway announces for a server: `tasks` to clients with sessions, the
 * extension to others. Tasks of servers with sessions are bridged to the extension. The other way
 * round is not possible: a client with sessions decides that a call becomes a task, and a server of
 * the extension decides it itself.
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
 * Whether a tool can only be called as a task of a server with sessions, so that a client of the
 * extension gets a bridged task. A tool that can be called without a task is: its server may then
 * ask the user, which it cannot do in a bridged task.
 */
export const isBridgedTool = (announced: JsonObject, definition: JsonObject): boolean =>
  hasCoreTasks(announced) &&
  !hasExtension(announced) &&
  own(ownObject(definition, 'execution'), 'taskSupport') === 'required';

/**
 * A task of 2025-11-25 in the form of the extension. Members that only the extension has are left
 * out: no rule has judged requests for input of such a server, and no guardrail its results.
 */
export function bridgedTask(legacy: JsonObject): JsonObject {
  const { ttl, pollInterval, inputRequests: _requests, result: _result, error: _error, ...task } = legacy;
  return {
    ...task,
    ...(ttl !== undefined && { ttlMs: ttl }),
    ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }),
  };
}

/** A result of 2025-11-25 that makes a task, in the form of the extension. */
export const bridgedCreation = ({ task: _task, ...created }: JsonObject, task: JsonObject): JsonObject => ({
  ...bridgedTask({ ...created, ...task }),
  resultType: 'task',
});

/** Capabilities of a server as clients of an era read them. */
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
 * The server's id of the task that a result made, by the era of the server; null: it made none that
 * can be used.
 */
export function createdTask(result: JsonObject, era: Era): string | null {
  const task = era === 'modern' ? result : ownObject(result, 'task');
  const id = own(task, 'taskId');
  return typeof id === 'string' && id !== '' && id.length <= TASK_ID_MAX ? id : null;
}

/**
 * A task, or a result that makes one, without the members of a tool's result, which belong to no
 * task, so that no guardrail judges them there.
 */
export function withoutToolResult(task: JsonObject): JsonObject {
  const { content: _content, structuredContent: _structured, isError: _isError, ...rest } = task;
  const made = own(rest, 'task');
  return isObject(made) ? { ...rest, task: withoutToolResult(made) } : rest;
}

/** The result that makes a task, with the id that the client gets. */
export const shownCreation = (result: JsonObject, era: Era, taskId: string): JsonObject =>
  era === 'modern'
    ? shownTask(result, taskId)
    : { ...result, task: shownTask(ownObject(result, 'task'), taskId), ...relatedMeta(result, taskId) };

/** A task, or the result of one, with the id that the client knows. */
export function shownTask(task: JsonObject, taskId: string): JsonObject {
  return {
    ...task,
    ...(own(task, 'taskId') !== undefined && { taskId }),
    ...slower(task, 'pollInterval'),
    ...slower(task, 'pollIntervalMs'),
    ...relatedMeta(task, taskId),
  };
}

/** `_meta` of a new task: a text for the model until the task ends (MCP 2025-11-25). */
const IMMEDIATE = 'io.modelcontextprotocol/model-immediate-response';

/**
 * Texts that the server writes about a task, without its result: guardrails judge them as those of
 * results.
 */
export const taskTexts = (task: JsonObject): readonly string[] => stringLeaves(writtenParts(task));

/** A task whose texts are edited. */
export function withEditedTask(task: JsonObject, edit: (text: string) => string): JsonObject {
  const edited = withEditedLeaves(writtenParts(task), edit) as Partial<WrittenParts>;
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
  /** Status message of the task that a result of 2025-11-25 makes. */
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

function slower(task: JsonObject, name: string): JsonObject {
  const ms = own(task, name);
  return typeof ms === 'number' && ms < POLL_MS_MIN ? { [name]: POLL_MS_MIN } : {};
}

function relatedMeta(result: JsonObject, taskId: string): JsonObject {
  const meta = ownObject(result, '_meta');
  return own(meta, RELATED) === undefined ? {} : { _meta: { ...meta, [RELATED]: { taskId } } };
}
