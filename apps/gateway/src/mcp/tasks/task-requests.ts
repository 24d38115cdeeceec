import type { Keyring } from '@gw/kernel';
import {
  bridgedCreation,
  bridgedTask,
  CODES,
  createdTask,
  inputRequiredFault,
  McpFault,
  NO_CAPABILITIES,
  openTaskId,
  own,
  ownObject,
  resultBody,
  sealTaskId,
  shownCreation,
  shownTask,
  TASKS_EXTENSION,
  type InputRequests,
  type JsonObject,
  type TaskPlace,
} from '@gw/mcp';
import { UpstreamError, type ReceivedResult } from '@gw/mcp-client';
import { passedHeaders } from '../../credentials/passed-headers';
import type { ToolGuards } from '../../guardrails/tool-guards';
import { shownInput } from '../aggregate/shown';
import { guarded } from '../denials';
import { guardedError, guardedTask, type TextGuard } from '../guarded-texts';
import { atServer, type EndpointRequest, type McpRequest } from '../mcp-request';
import type { SeenCapability, ServerView } from '../server-view';
import type { ForwardedCall } from '../forwarded-call';
import type { UpstreamCalls } from '../upstream-calls';
import { clientRules } from '../relayed-input';
import type { McpUpstreams } from '../upstreams';
import { isBridged, taskParam } from './task-support';
import { TaskPace } from './task-pace';
import type { TaskStore } from './task-store';

export interface TaskRequestParts {
  readonly ring: Keyring;
  readonly store: TaskStore;
  readonly upstreams: McpUpstreams;
  readonly guards: ToolGuards;
  /** Hosts of this installation; no upstream may send users to a page on them. */
  readonly ownHosts: readonly string[];
}

/**
 * Maximum number of tasks in a list; in `READ_CONCURRENCY`, how many of them are read from their
 * servers at the same time.
 */
const LISTED_MAX = 20;
const READ_CONCURRENCY = 5;
/** States of a task in which a legacy server has its result or its error. */
const ENDED_STATES: ReadonlySet<unknown> = new Set(['completed', 'failed']);

/** A task that the caller may use, with its server and tool. */
interface FoundTask {
  readonly id: string;
  readonly place: TaskPlace;
  readonly view: ServerView;
  readonly tool: SeenCapability;
}

export const isTaskMethod = (method: string): boolean => method.startsWith('tasks/');

/**
 * Carries out requests about tasks of servers. A task belongs to the caller that created it, and
 * the caller must still have access to its tool.
 */
export class TaskRequests {
  private readonly pace = new TaskPace();

  constructor(private readonly parts: TaskRequestParts) {}

  /**
   * Returns the result that a client receives in place of a result that creates a task; null for
   * any other result.
   */
  taskResult(request: McpRequest, tool: SeenCapability, result: ReceivedResult): Promise<JsonObject> | null {
    const { view, session } = request;
    const isOfBridge = isBridged(request, tool);
    const era = isOfBridge ? 'legacy' : request.era;
    const wantsTask =
      era === 'modern' ? result.type === 'task' : isOfBridge || taskParam(request).task !== undefined;
    const task = wantsTask ? createdTask(result.value, era) : null;
    if (task === null) return null;
    const { binding } = view.caller;
    const place = {
      ...{ serverId: view.id, task, tool: tool.facts.name },
      ...{ session: session?.nonce ?? null, isBridged: isOfBridge },
    };
    const id = sealTaskId(this.parts.ring, binding, place);
    this.parts.store.add(binding, id);
    const judged = guardedTask(this.guardOf(request, { view, tool }), result.value);
    return judged.then((shown) => {
      const created = shownCreation(shown, era, id);
      return isOfBridge ? bridgedCreation(created, ownObject(created, 'task')) : created;
    });
  }

  /**
   * Carries out a request about tasks. Resolves when the response is sent. Rejects with `McpFault`
   * for an unknown task.
   */
  async run(from: EndpointRequest, calls: UpstreamCalls): Promise<void> {
    const { message, era, capabilities } = from;
    if (era === 'modern' && !capabilities.tasks) throw undeclared();
    if (message.method === 'tasks/list') return this.list(from);
    const found = this.find(from, own(message.params, 'taskId'));
    if (found === null) throw new McpFault(CODES.invalidParams, 'Unknown task.', { id: message.id });
    if (message.method === 'tasks/get') this.pace.takeRead(found.id);
    if (message.method === 'tasks/update' && found.place.isBridged) {
      // A bridged task never requests input, so there is nothing to forward.
      from.reply.end(JSON.stringify(resultBody(message.id, { resultType: 'complete' })));
      return;
    }
    const request = atServer(from, found.view);
    const { context } = request;
    const { name } = found.tool.facts;
    if (context.mcp !== null) [context.mcp.name, context.mcp.capability] = [name, name];
    context.spanName ??= `${message.method} ${name}`;
    await calls.run(request, this.forwarded(request, found));
  }

  private forwarded(request: McpRequest, found: FoundTask): ForwardedCall {
    const { _meta, requestState: _state, ...params } = request.message.params;
    return {
      params: { ...params, taskId: found.place.task },
      session: found.place.session,
      ...(found.place.isBridged && { capabilities: NO_CAPABILITIES }),
      onResult: (result) =>
        found.place.isBridged
          ? this.bridged(request, found, result.value)
          : this.shown(request, found, result.value),
      onError: (error) => guardedError(this.guardOf(request, found), error),
      onInputRequired: () => undefined,
    };
  }

  /**
   * Returns a response of the server with the client's id of the task, after the guardrails of the
   * tool.
   */
  private async shown(request: McpRequest, found: FoundTask, value: JsonObject): Promise<JsonObject> {
    if (request.message.method === 'tasks/result')
      return shownTask((await this.guarded(request, found, value)) ?? value, found.id);
    const judged = await guardedTask(this.guardOf(request, found), shownTask(value, found.id));
    return withoutForbiddenInput(request, judged, this.parts.ownHosts);
  }

  /**
   * Translates a response of a legacy server for a modern client, which receives the result
   * together with the task.
   */
  private async bridged(request: McpRequest, found: FoundTask, value: JsonObject): Promise<JsonObject> {
    if (request.message.method === 'tasks/cancel') return { resultType: 'complete' };
    const task = bridgedTask(shownTask(value, found.id));
    const hasEnded = ENDED_STATES.has(own(task, 'status'));
    const end = hasEnded ? await this.readEnd(request, found) : {};
    return guardedTask(this.guardOf(request, found), { ...task, ...end });
  }

  /**
   * Reads the result or the error of an ended task of a legacy server. A result that reports a
   * failure of the tool counts as a result.
   */
  private async readEnd(from: McpRequest, found: FoundTask): Promise<JsonObject> {
    try {
      const result = await this.requestOf(from, found, 'tasks/result');
      return { status: 'completed', result: shownTask(result, found.id) };
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.rpc === null) throw error;
      return { status: 'failed', error: error.rpc };
    }
  }

  /** Sends a request about a task as part of another request. */
  private requestOf(from: EndpointRequest, { place, view }: FoundTask, method: string): Promise<JsonObject> {
    const { signal, context, capabilities } = from;
    const upstream = this.parts.upstreams.of(view.document, {
      ...{ binding: view.caller.binding, caller: view.caller.access, session: place.session },
      capabilities: place.isBridged ? NO_CAPABILITIES : { ...capabilities, tasks: false },
    });
    const headers = passedHeaders(context, view.document, view.caller.principal);
    return upstream.request(method, { taskId: place.task }, { signal, headers });
  }

  private guardOf(
    { context }: Pick<McpRequest, 'context'>,
    { view, tool }: Pick<FoundTask, 'view' | 'tool'>,
  ): TextGuard {
    const subject = { server: view.document, capabilityId: tool.facts.id, arguments: {} };
    return { guards: this.parts.guards, context, subject };
  }

  private guarded(request: McpRequest, found: FoundTask, result: JsonObject): Promise<JsonObject | null> {
    const { guards, context, subject } = this.guardOf(request, found);
    return guarded(() => guards.after(context, subject, () => result));
  }

  /**
   * Lists the newest tasks that the caller created at this address and that their servers still
   * have.
   */
  private async list(from: EndpointRequest): Promise<void> {
    const { binding } = from.endpoint.caller;
    this.pace.takeList(binding);
    const ids = await this.parts.store.of(binding);
    const found = ids.map((id) => this.find(from, id)).filter((each) => each !== null);
    const waiting = found.slice(0, LISTED_MAX).map((each, at) => [at, each] as const);
    const tasks: (JsonObject | null)[] = [];
    const readNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        tasks[next[0]] = await this.read(from, next[1]);
    };
    await Promise.all(Array.from({ length: READ_CONCURRENCY }, readNext));
    from.reply.end(
      JSON.stringify(resultBody(from.message.id, { tasks: tasks.filter((task) => task !== null) })),
    );
  }

  /** Reads a task; null when its server no longer has it or cannot be reached. */
  private async read(from: EndpointRequest, found: FoundTask): Promise<JsonObject | null> {
    try {
      const task = shownTask(await this.requestOf(from, found, 'tasks/get'), found.id);
      return await guardedTask(this.guardOf(from, found), task);
    } catch {
      return null;
    }
  }

  private find({ endpoint }: EndpointRequest, id: unknown): FoundTask | null {
    const place = openTaskId(this.parts.ring, endpoint.caller.binding, id);
    if (place === null) return null;
    const view = endpoint.servers.find((each) => each.id === place.serverId);
    const tool = view?.capabilitiesOf('tool').get(place.tool);
    return view === undefined || tool === undefined ? null : { id: String(id), place, view, tool };
  }
}

/** Removes a task's requests for input when they include one that a call may not make. */
function withoutForbiddenInput(
  request: McpRequest,
  task: JsonObject,
  ownHosts: readonly string[],
): JsonObject {
  const requests = ownObject(task, 'inputRequests');
  if (Object.keys(requests).length === 0) return task;
  const { inputRequests: _all, ...rest } = task;
  if (inputRequiredFault({ inputRequests: requests }, clientRules(request, ownHosts)) !== null) return rest;
  return { ...task, inputRequests: shownInput(request, requests as InputRequests) };
}

const undeclared = (): McpFault =>
  new McpFault(CODES.missingCapability, 'The client did not declare the extension for tasks.', {
    status: 400,
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  });
