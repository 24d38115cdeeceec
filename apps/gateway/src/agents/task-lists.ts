import {
  A2aError,
  isTerminal,
  knownState,
  translateParams,
  translateResult,
  type Members,
  type TaskRecord,
  type TaskState,
} from '@gw/a2a';
import { isObject } from '@gw/kernel';
import type { AgentCalls } from './agent-calls';
import type { AgentGuards } from './agent-guards';
import type { AgentRequest } from './agent-request';
import { AgentDenied } from './denials';
import type { CallerTasks } from './tasks/caller-tasks';
import { TaskTracker } from './tasks/task-tracker';

export interface TaskListParts {
  readonly guards: AgentGuards;
  readonly tasks: CallerTasks;
  readonly calls: AgentCalls;
}

const PAGE_SIZE = 50;
/** Maximum number of tasks that are read from the agent at the same time. */
const READ_CONCURRENCY = 8;
/** Maximum number of tasks that are read from the agent for one request. */
const READS_MAX = 100;

/**
 * Carries out ListTasks: lists the caller's tasks that the gateway has stored, and reads each from
 * the agent.
 */
export class TaskLists {
  constructor(private readonly parts: TaskListParts) {}

  /**
   * Carries out a request. Resolves when the response is sent. Rejects with `A2aError`,
   * `AgentDenied` or `GatewayError`.
   */
  async run(request: AgentRequest): Promise<void> {
    const { call, form, reply } = request;
    const { pageSize, pageToken, includeArtifacts } = call.params10;
    const wanted = wantedIn(call.params10);
    const stored = await this.parts.tasks.list(request.view);
    const all = stored.filter((record) => mayMatch(record, wanted)).toSorted(newestFirst);
    const after = cursorIn(pageToken);
    const rest = after === null ? all : all.filter((record) => newestFirst(after, record) < 0);
    const size = typeof pageSize === 'number' ? pageSize : PAGE_SIZE;
    const { tasks, count, matching } = await this.page(request, rest, { wanted, size });
    const totalSize = await this.total(request, all, wanted, matching);
    const last = rest[count - 1];
    const list = {
      tasks: includeArtifacts === true ? tasks : tasks.map(({ artifacts: _artifacts, ...task }) => task),
      nextPageToken: last !== undefined && rest.length > count ? tokenOf(last) : '',
      pageSize: size,
      totalSize,
    };
    const value = translateResult('listTasks', list, { from: '1.0', to: call.version });
    const { json, status, headers } = form.result('listTasks', await this.parts.guards.after(request, value));
    reply.end(json, status, headers);
  }

  /**
   * Returns the first tasks that match, the number of records that were read for them, and which of
   * these match.
   */
  private async page(
    request: AgentRequest,
    records: readonly TaskRecord[],
    { wanted, size }: { readonly wanted: Wanted; readonly size: number },
  ): Promise<{ readonly tasks: readonly Members[]; readonly count: number; readonly matching: Matching }> {
    const tasks: Members[] = [];
    const matching: Matching = new Map();
    const readable = records.slice(0, READS_MAX);
    let count = 0;
    while (tasks.length < size && count < readable.length) {
      const few = Math.min(READ_CONCURRENCY, size - tasks.length);
      const read = await this.readAll(request, readable.slice(count, count + few), wanted, matching);
      tasks.push(...read.filter((task) => task !== null));
      count += read.length;
    }
    return { tasks, count, matching };
  }

  /**
   * Returns the number of tasks that match. With a filter by state or time, unfinished tasks of
   * other pages are read too, within `READS_MAX` and until the agent fails; further ones count by
   * the state that the gateway has seen last.
   */
  private async total(
    request: AgentRequest,
    records: readonly TaskRecord[],
    wanted: Wanted,
    matching: Matching,
  ): Promise<number> {
    if (wanted.state === null && wanted.fromMs === null) return records.length;
    const unread = records.filter(({ state, taskId }) => !isTerminal(state) && !matching.has(taskId));
    const readable = unread.slice(0, READS_MAX - matching.size);
    for (let at = 0; at < readable.length; at += READ_CONCURRENCY) {
      const few = readable.slice(at, at + READ_CONCURRENCY);
      const read = await Promise.all(few.map((record) => this.isRead(request, record, wanted, matching)));
      if (read.includes(false)) break;
    }
    return records.filter((record) => matching.get(record.taskId) ?? matches(record, wanted)).length;
  }

  /** Reads a task of another page and notes whether it matches; false when the agent fails. */
  private async isRead(
    request: AgentRequest,
    record: TaskRecord,
    wanted: Wanted,
    matching: Matching,
  ): Promise<boolean> {
    try {
      await this.readAll(request, [record], wanted, matching);
      return true;
    } catch (error) {
      if (error instanceof AgentDenied) return false;
      throw error;
    }
  }

  /** Reads tasks at the same time, and notes which of them match. */
  private async readAll(
    request: AgentRequest,
    records: readonly TaskRecord[],
    wanted: Wanted,
    matching: Matching,
  ): Promise<readonly (Members | null)[]> {
    const tasks = await Promise.all(records.map((record) => this.read(request, record, wanted)));
    records.forEach(({ taskId }, at) => matching.set(taskId, tasks[at] !== null));
    return tasks;
  }

  /**
   * Reads a task from the agent in the format of A2A 1.0; null when the agent no longer has it, or
   * when it does not match.
   */
  private async read(request: AgentRequest, record: TaskRecord, wanted: Wanted): Promise<Members | null> {
    const { call, view } = request;
    const to = view.document.endpoint.version;
    const { historyLength } = call.params10;
    const params10 = { id: record.taskId, ...(typeof historyLength === 'number' && { historyLength }) };
    const params = translateParams('getTask', params10, { from: '1.0', to });
    const raw = await this.parts.calls.call(request, 'getTask', params).catch((error: unknown) => {
      if (isGone(error)) return null;
      throw error;
    });
    if (raw === null) return null;
    const task = translateResult('getTask', raw, { from: to, to: '1.0' });
    const facts = await new TaskTracker(this.parts.tasks, request, record).track({ task });
    if (!isObject(task)) return null;
    const state = facts.state ?? record.state;
    const seenMs = state === record.state ? record.updatedAt : Date.now();
    return matches({ state, updatedAt: Math.max(seenMs, changedMs(task)) }, wanted) ? task : null;
  }
}

/** Whether each task that was read matches, by its id. */
type Matching = Map<string, boolean>;

const isGone = (error: unknown): boolean =>
  error instanceof AgentDenied && error.failure instanceof A2aError && error.failure.kind === 'taskNotFound';

/** Tasks that a request asks for; null members let all of them through. */
interface Wanted {
  readonly contextId: string | null;
  readonly state: TaskState | null;
  /** Time of the last change or later, in Unix milliseconds. */
  readonly fromMs: number | null;
}

function wantedIn({ contextId, status, statusTimestampAfter }: Members): Wanted {
  const state = knownState(status);
  const fromMs = typeof statusTimestampAfter === 'string' ? Date.parse(statusTimestampAfter) : null;
  if (Number.isNaN(fromMs))
    throw new A2aError('invalidParams', 'statusTimestampAfter must be a time by RFC 3339.');
  return {
    contextId: typeof contextId === 'string' && contextId !== '' ? contextId : null,
    state: state === 'TASK_STATE_UNSPECIFIED' ? null : state,
    fromMs,
  };
}

/**
 * Whether a stored task may match. The agent may have changed an unfinished task since the gateway
 * has seen it.
 */
const mayMatch = (record: TaskRecord, wanted: Wanted): boolean =>
  (wanted.contextId === null || record.contextId === wanted.contextId) &&
  (!isTerminal(record.state) || matches(record, wanted));

const matches = ({ state, updatedAt }: TaskStatus, wanted: Wanted): boolean =>
  (wanted.state === null || state === wanted.state) && (wanted.fromMs === null || updatedAt >= wanted.fromMs);

type TaskStatus = Pick<TaskRecord, 'state' | 'updatedAt'>;

/** Returns the time at which the agent changed a task; 0 when it names none. */
function changedMs({ status }: Members): number {
  const timestamp = isObject(status) ? status['timestamp'] : null;
  const ms = typeof timestamp === 'string' ? Date.parse(timestamp) : 0;
  return Number.isNaN(ms) ? 0 : ms;
}

type Place = Pick<TaskRecord, 'updatedAt' | 'taskId'>;

/** Sorts tasks by their last change, newest first, and then by id. */
const newestFirst = (a: Place, b: Place): number =>
  b.updatedAt - a.updatedAt || (a.taskId < b.taskId ? -1 : a.taskId > b.taskId ? 1 : 0);

const tokenOf = ({ updatedAt, taskId }: Place): string =>
  Buffer.from(JSON.stringify([updatedAt, taskId])).toString('base64url');

/**
 * Reads the position after which a page begins; null for the first page. Throws `A2aError`
 * `invalidParams`.
 */
function cursorIn(token: unknown): Place | null {
  if (typeof token !== 'string' || token === '') return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(token.slice(0, 2_048), 'base64url').toString('utf8'));
    const [updatedAt, taskId] = value as [unknown, unknown];
    if (typeof updatedAt === 'number' && typeof taskId === 'string') return { updatedAt, taskId };
  } catch {
    // The token is refused below.
  }
  throw new A2aError('invalidParams', 'pageToken must be the nextPageToken of an earlier page.');
}
