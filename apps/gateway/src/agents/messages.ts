import {
  A2aError,
  isTerminal,
  textsIn,
  translateParams,
  translateResult,
  type A2aVersion,
  type EventFacts,
  type Members,
} from '@gw/a2a';
import { isObject } from '@gw/kernel';
import type { LimitedCall } from '../limits/limited-call';
import type { ToolAccounts } from '../limits/tool-accounts';
import { limitDenied } from './denials';
import type { AgentCalls } from './agent-calls';
import type { AgentGuards } from './agent-guards';
import type { AgentRequest } from './agent-request';
import { subjectOf, type MessageSubject } from './message-subject';
import type { MessagePush } from './push/message-push';
import type { PushConfigs } from './push/push-configs';
import type { CallerTasks } from './tasks/caller-tasks';
import { TaskTracker } from './tasks/task-tracker';

export interface MessageParts {
  readonly accounts: ToolAccounts;
  readonly guards: AgentGuards;
  readonly tasks: CallerTasks;
  readonly calls: AgentCalls;
  readonly push: PushConfigs;
}

/** A message that is being sent. */
interface SentMessage {
  readonly request: AgentRequest;
  readonly subject: MessageSubject;
  readonly limited: LimitedCall;
  readonly tracker: TaskTracker;
  /** The params in the agent's format. */
  readonly params: Members;
  /** Null when the message requests no notifications. */
  readonly push: MessagePush | null;
}

/**
 * Carries out SendMessage and SendStreamingMessage: checks ownership, limits and guardrails, calls
 * the agent, and charges the message.
 */
export class Messages {
  constructor(private readonly parts: MessageParts) {}

  /**
   * Carries out a request. Resolves when the response is sent. Rejects with `A2aError`,
   * `AgentDenied` or `GatewayError`.
   */
  async run(request: AgentRequest): Promise<void> {
    const { context, call } = request;
    const subject = await subjectOf(request, this.parts.tasks);
    const limited = limitedCall(request, subject);
    const denial = await this.parts.accounts.admit(context, limited);
    if (denial !== null) throw limitDenied(denial);
    const { metadata } = call.params;
    const judged = { message: subject.message, ...(isObject(metadata) && { metadata }) };
    const texts = await this.parts.guards.before(request, judged, subject.skill);
    const push = await this.parts.push.ofMessage(request, subject.task);
    const sent: SentMessage = {
      ...{ request, subject, limited, push },
      tracker: new TaskTracker(this.parts.tasks, request, subject.task),
      params: outgoing(request, texts, push),
    };
    context.agent?.callBegins(limited);
    try {
      if (call.operation === 'sendMessage') await this.send(sent);
      else await this.stream(sent);
    } finally {
      await push?.callEnded();
      await countBeginning(sent, this.parts.tasks);
    }
  }

  private async send(sent: SentMessage): Promise<void> {
    const { request, params } = sent;
    const { call, form, reply } = request;
    let hasResponse = false;
    let tokens = 0;
    let shown: unknown;
    try {
      const raw = await this.parts.calls.call(request, call.operation, params);
      hasResponse = true;
      const { value } = await this.translateResponse(sent, raw);
      tokens = tokensOf(value);
      shown = value;
    } finally {
      this.charge(sent, hasResponse, tokens);
    }
    const result = await this.parts.guards.after(request, shown);
    const { json, status, headers } = form.result(call.operation, result);
    reply.end(json, status, headers);
  }

  private async stream(sent: SentMessage): Promise<void> {
    const { request, params } = sent;
    const { call, form, reply, context } = request;
    reply.streamLater();
    let [events, tokens] = [0, 0];
    let last: string | null = null;
    try {
      for await (const raw of this.parts.calls.stream(request, call.operation, params)) {
        events += 1;
        const { value, facts } = await this.translateResponse(sent, raw);
        tokens += tokensOf(value);
        const json = form.event(call.operation, await this.parts.guards.after(request, value));
        if (context.agent !== null) context.agent.events += 1;
        reply.startStream();
        if (isLast(facts, raw)) {
          last = json;
          break;
        }
        reply.event(json);
        await reply.drained();
      }
      if (events === 0) throw new A2aError('invalidAgentResponse', 'The stream of the agent has no event.');
    } finally {
      this.charge(sent, events > 0, tokens);
    }
    if (last === null) reply.close();
    else reply.end(last);
  }

  /** Records the facts of a response or an event, and returns it in the client's format. */
  private async translateResponse(
    { request, tracker, push }: SentMessage,
    raw: unknown,
  ): Promise<{ readonly value: unknown; readonly facts: EventFacts }> {
    const { call, view, context } = request;
    const from = view.document.endpoint.version;
    const operation = call.operation === 'sendMessage' ? call.operation : 'sendStreamingMessage';
    const event = translateResult(operation, raw, { from, to: '1.0' });
    const facts = await tracker.track(event);
    if (tracker.hasTask && facts.taskId !== null) await push?.bindTo(facts.taskId);
    countArtifacts(request, event);
    const value =
      call.version === from ? raw : translateResult(operation, event, { from: '1.0', to: call.version });
    if (context.agent !== null && facts.state !== null) context.agent.state = facts.state;
    return { value, facts };
  }

  /**
   * Charges the call. A call without a response costs nothing, unless it was aborted after its
   * client had disconnected, because the agent has worked then. `chargeCut` charges a call whose
   * request ends early.
   */
  private charge({ request, limited, tracker }: SentMessage, hasResponse: boolean, tokens: number): void {
    const { context, view, signal } = request;
    if (!hasResponse && !signal.aborted) return;
    const { perMessage = 0, perTask = 0 } = view.document.prices ?? {};
    const price = perMessage + (tracker.owesTask ? perTask : 0);
    this.parts.accounts.charge(context, { ...limited, price }, tokens);
    context.agent?.callEnds();
  }
}

/**
 * Returns the call to reserve. A message that continues no task may create one, so the price of a
 * task is reserved.
 */
function limitedCall({ view }: AgentRequest, { task, skill }: MessageSubject): LimitedCall {
  const { slug, prices } = view.document;
  const { perMessage = 0, perTask = 0 } = prices ?? {};
  return { of: 'agent', server: slug, tool: skill ?? '', price: perMessage + (task === null ? perTask : 0) };
}

/** Counts a message that has begun a context, whose id only the response of the agent names. */
async function countBeginning({ request, subject, tracker }: SentMessage, tasks: CallerTasks): Promise<void> {
  const { document } = request.view;
  if (document.limits.messagesPerContextHour === null || subject.contextId !== null) return;
  const { contextId } = tracker;
  if (contextId !== null) await tasks.store.countMessage(document.id, contextId);
}

/** Returns the params in the agent's format. `texts` are the message and metadata to send. */
function outgoing({ call, view }: AgentRequest, texts: Members, push: MessagePush | null): Members {
  const { tenant: _tenant, configuration, ...params } = call.params;
  const direction = { from: call.version, to: view.document.endpoint.version };
  const configured = isObject(configuration)
    ? { configuration: withPush(configuration, call.version, push) }
    : {};
  return translateParams(call.operation, { ...params, ...configured, ...texts }, direction);
}

/** Replaces the client's push config, which the agent never receives, by the gateway's. */
function withPush(configuration: Members, version: A2aVersion, push: MessagePush | null): Members {
  const name = version === '1.0' ? 'taskPushNotificationConfig' : 'pushNotificationConfig';
  const { [name]: _clients, ...rest } = configuration;
  return push?.outgoing == null ? rest : { ...rest, [name]: push.outgoing };
}

/**
 * Whether an event ends the stream: a message, the end of its task, or an event that an agent of
 * A2A 0.3 marks as final.
 */
const isLast = ({ kind, state }: EventFacts, raw: unknown): boolean =>
  kind === 'message' || isTerminal(state) || (isObject(raw) && raw['final'] === true);

/** Estimates the tokens of a value as one for four characters. */
const tokensOf = (value: unknown): number =>
  Math.ceil(textsIn(value).reduce((sum, text) => sum + text.length, 0) / 4);

function countArtifacts({ context: { agent } }: AgentRequest, event: unknown): void {
  if (agent === null || !isObject(event)) return;
  const { task, artifactUpdate } = event;
  const listed = isObject(task) && Array.isArray(task['artifacts']) ? (task['artifacts'] as unknown[]) : [];
  const updated = isObject(artifactUpdate) ? [artifactUpdate['artifact']] : [];
  // A further piece of an artifact that was counted.
  const isPiece = isObject(artifactUpdate) && artifactUpdate['append'] === true;
  for (const artifact of [...listed, ...updated]) {
    if (!isObject(artifact)) continue;
    if (!isPiece) agent.artifacts += 1;
    agent.artifactBytes += Buffer.byteLength(JSON.stringify(artifact['parts'] ?? []));
  }
}
