import { A2aError, methodOf, type Operation } from '@gw/a2a';
import { workspaceFull, type CallPlaces, type PlaceLimit } from '../limits/call-places';
import { GatewayError } from '@gw/kernel';
import type { AgentGuards } from './agent-guards';
import type { AgentRequest } from './agent-request';
import { routeOfOperation } from './agent-route';
import { rateDenied } from './denials';
import type { Messages } from './messages';
import { RequestAgent } from './request-agent';
import type { TaskCalls } from './task-calls';
import type { TaskLists } from './task-lists';
import type { AgentCards } from './cards/agent-cards';
import type { PushConfigs } from './push/push-configs';

export interface OperationParts {
  readonly places: CallPlaces;
  readonly guards: Pick<AgentGuards, 'afterError'>;
  readonly messages: Messages;
  readonly tasks: TaskCalls;
  readonly lists: TaskLists;
  readonly cards: AgentCards;
  readonly push: PushConfigs;
}

/** Operations that clients use for polling; one in `POLLS_PER_RECORD` of them gets a log record. */
const POLLED: ReadonlySet<Operation> = new Set<Operation>([
  ...(['getTask', 'listTasks', 'getPushConfig', 'listPushConfigs', 'getExtendedCard'] as const),
]);
const POLLS_PER_RECORD = 10;

/** Carries out the operations of A2A. */
export class Operations {
  private polls = 0;

  constructor(private readonly parts: OperationParts) {}

  /**
   * Carries out an operation. Resolves when the response is sent. Rejects with `A2aError`,
   * `AgentDenied` or `GatewayError`.
   */
  async run(request: AgentRequest): Promise<void> {
    const { view, call } = request;
    recordRequest(request, !POLLED.has(call.operation) || this.polls++ % POLLS_PER_RECORD === 0);
    const { id, workspaceId, organisationId } = view.document;
    const key = `${view.caller.binding}/${id}`;
    const place = this.parts.places.take({ key, workspaceId, organisationId });
    if (place.kind === 'none') throw noPlace(place);
    try {
      await this.carryOut(request);
    } catch (error) {
      throw await this.parts.guards.afterError(request, error);
    } finally {
      place.release();
    }
  }

  private async carryOut(request: AgentRequest): Promise<void> {
    switch (request.call.operation) {
      case 'sendMessage':
      case 'sendStreamingMessage':
        return this.parts.messages.run(request);
      case 'getTask':
      case 'cancelTask':
        return this.parts.tasks.one(request);
      case 'subscribeToTask':
        return this.parts.tasks.subscribe(request);
      case 'listTasks':
        return this.parts.lists.run(request);
      case 'getExtendedCard':
        return this.extendedCard(request);
      case 'createPushConfig':
      case 'getPushConfig':
      case 'listPushConfigs':
      case 'deletePushConfig':
        return this.parts.push.run(request);
    }
  }

  private async extendedCard({ view, context, call, form, reply, path }: AgentRequest): Promise<void> {
    if (view.document.extendedCard === null) throw new A2aError('extendedCardNotConfigured');
    const card = await this.parts.cards.extended(view, context, {
      path,
      form: call.version === '1.0' ? '1.0' : 'hybrid',
    });
    const { json, status, headers } = form.result('getExtendedCard', card);
    reply.end(json, status, headers);
  }
}

/** Stores the facts of the request for the log, and whether it gets a log record. */
function recordRequest({ context, view, call, form, reply }: AgentRequest, isRecorded: boolean): void {
  const { slug, endpoint } = view.document;
  reply.isRecorded = isRecorded;
  context.route = routeOfOperation(call.operation);
  context.spanName ??= `invoke_agent ${slug}`;
  context.agent = new RequestAgent({
    agent: slug,
    operation: methodOf(call.operation, '1.0') ?? call.operation,
    version: form.version,
    binding: form.binding,
    agentVersion: endpoint.version,
  });
}

const noPlace = ({ of, most }: PlaceLimit) =>
  rateDenied(
    new GatewayError('rate_limited', {
      message:
        of === 'caller'
          ? `A caller may have ${String(most)} calls of an agent in flight; retry later.`
          : workspaceFull(most, 'calls of agents'),
    }),
    1_000,
    { limit: most },
  );
