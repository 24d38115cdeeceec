import {
  A2aError,
  knownState,
  translateParams,
  translateResult,
  type Members,
  type TaskRecord,
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
    const wanted = filterOf(call.params10);
    const all = (await this.parts.tasks.list(request.view)).filter(wanted).toSorted(newestFirst);
    const after = cursorIn(pageToken);
    const rest = after === null ? all : all.filter((record) => newestFirst(after, record) < 0);
    const size = typeof pageSize === 'number' ? pageSize : PAGE_SIZE;
    const page = rest.slice(0, size);
    const last = page.at(-1);
    const tasks: Members[] = [];
    for (let at = 0; at < page.length; at += READ_CONCURRENCY) {
      const reads = page.slice(at, at + READ_CONCURRENCY).map((record) => this.read(request, record, wanted));
      for (const task of await Promise.all(reads)) if (task !== null) tasks.push(task);
    }
    const list = {
      tasks: includeArtifacts === true ? tasks : tasks.map(({ artifacts: _artifacts, ...task }) => task),
      nextPageToken: last !== undefined && rest.length > page.length ? tokenOf(last) : '',
      pageSize: size,
      totalSize: all.length,
    };
    const value = translateResult('listTasks', list, { from: '1.0', to: call.version });
    const { json, status, headers } = form.result('listTasks', await this.parts.guards.after(request, value));
    reply.end(json, status, headers);
  }

  /**
   * Reads a task from the agent in the format of A2A 1.0; null when the agent no longer has it, or
   * when it no longer matches the filter.
   */
  private async read(
    request: AgentRequest,
    record: TaskRecord,
    wanted: (record: TaskRecord) => boolean,
  ): Promise<Members | null> {
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
    const { state } = await new TaskTracker(this.parts.tasks, request, record).track({ task });
    return isObject(task) && wanted({ ...record, state: state ?? record.state }) ? task : null;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof AgentDenied && error.failure instanceof A2aError && error.failure.kind === 'taskNotFound';

function filterOf({ contextId, status, statusTimestampAfter }: Members): (record: TaskRecord) => boolean {
  const state = knownState(status);
  const hasState = state !== null && state !== 'TASK_STATE_UNSPECIFIED';
  const afterMs = typeof statusTimestampAfter === 'string' ? Date.parse(statusTimestampAfter) : null;
  if (Number.isNaN(afterMs))
    throw new A2aError('invalidParams', 'statusTimestampAfter must be a time by RFC 3339.');
  const hasContext = typeof contextId === 'string' && contextId !== '';
  return (record) =>
    (!hasContext || record.contextId === contextId) &&
    (!hasState || record.state === state) &&
    (afterMs === null || record.updatedAt > afterMs);
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
