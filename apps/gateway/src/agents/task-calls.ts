import {
  A2aError,
  checkTaskState,
  isTerminal,
  translateParams,
  translateResult,
  type Members,
  type TaskRecord,
} from '@gw/a2a';
import { isObject } from '@gw/kernel';
import type { AgentCalls } from './agent-calls';
import type { AgentGuards } from './agent-guards';
import type { AgentRequest } from './agent-request';
import type { CallerTasks } from './tasks/caller-tasks';
import { TaskTracker } from './tasks/task-tracker';

export interface TaskCallParts {
  readonly guards: AgentGuards;
  readonly tasks: CallerTasks;
  readonly calls: AgentCalls;
}

/** Carries out GetTask, CancelTask and SubscribeToTask on tasks of the caller. */
export class TaskCalls {
  constructor(private readonly parts: TaskCallParts) {}

  /**
   * Carries out GetTask and CancelTask. Resolves when the response is sent. Rejects with
   * `A2aError`, `AgentDenied` or `GatewayError`.
   */
  async one(request: AgentRequest): Promise<void> {
    const { call, form, reply, view } = request;
    const operation = call.operation === 'cancelTask' ? 'cancelTask' : 'getTask';
    const { params, record } = await this.readTask(request);
    const raw = await this.parts.calls.call(request, operation, params);
    const from = view.document.endpoint.version;
    const task = translateResult(operation, raw, { from, to: '1.0' });
    await new TaskTracker(this.parts.tasks, request, record).track({ task });
    const value =
      call.version === from ? raw : translateResult(operation, task, { from: '1.0', to: call.version });
    const { json, status, headers } = form.result(operation, await this.parts.guards.after(request, value));
    reply.end(json, status, headers);
  }

  /** Carries out SubscribeToTask. Rejects as `one` does. */
  async subscribe(request: AgentRequest): Promise<void> {
    const { call, form, reply, view, context } = request;
    const { params, record } = await this.readTask(request);
    const from = view.document.endpoint.version;
    const tracker = new TaskTracker(this.parts.tasks, request, record);
    reply.streamLater();
    let last: string | null = null;
    for await (const raw of this.parts.calls.stream(request, 'subscribeToTask', params)) {
      const event = translateResult('subscribeToTask', raw, { from, to: '1.0' });
      const { kind, state } = await tracker.track(event);
      const value =
        call.version === from
          ? raw
          : translateResult('subscribeToTask', event, { from: '1.0', to: call.version });
      const json = form.event('subscribeToTask', await this.parts.guards.after(request, value));
      if (context.agent !== null) context.agent.events += 1;
      reply.startStream();
      // The first event is the current task; only a later change ends the stream.
      if ((kind !== 'task' && isTerminal(state)) || (isObject(raw) && raw['final'] === true)) {
        last = json;
        break;
      }
      reply.event(json);
      await reply.drained();
    }
    if (last === null) reply.close();
    else reply.end(last);
  }

  /**
   * Finds the task that the request names, and translates the params to the agent's format. Rejects
   * with `taskNotFound`.
   */
  private async readTask({ call, view }: AgentRequest): Promise<{
    readonly record: TaskRecord;
    readonly params: Members;
  }> {
    const { id } = call.params10;
    if (typeof id !== 'string') throw new A2aError('taskNotFound');
    const record = await this.parts.tasks.own(view, id);
    checkTaskState(call.operation, record.state);
    const { tenant: _tenant, ...params } = call.params;
    const direction = { from: call.version, to: view.document.endpoint.version };
    return { record, params: translateParams(call.operation, params, direction) };
  }
}
