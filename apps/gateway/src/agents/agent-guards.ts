import { A2aError, textsIn, withTexts, type Failure, type Members } from '@gw/a2a';
import { UNKNOWN_CAPABILITY, type ToolGuards, type ToolSubject } from '../guardrails/tool-guards';
import { AgentDenied, guarded } from './denials';
import type { AgentRequest } from './agent-request';

/** The guardrails of agents. They check all texts of messages and of responses of agents. */
export class AgentGuards {
  constructor(private readonly guards: Pick<ToolGuards, 'before' | 'changesOf'>) {}

  /**
   * Checks the params of a client's message and resolves to them, with the changes of guardrails.
   * The name of the skill is no text. Rejects with `AgentDenied`.
   */
  async before(request: AgentRequest, params: Members, skill: string | null): Promise<Members> {
    const texts = textsIn(params).filter((text) => text !== skill);
    const subject = subjectOf(request, texts);
    const judged = await guarded(() => this.guards.before(request.context, subject));
    if (judged === subject.arguments) return params;
    const changed: unknown = judged['texts'];
    if (!Array.isArray(changed)) return params;
    let at = 0;
    return withTexts(params, (text) => {
      if (text === skill) return text;
      const replaced: unknown = changed[at];
      at += 1;
      return typeof replaced === 'string' ? replaced : text;
    });
  }

  /**
   * Checks an agent's response and resolves to it, with the changes of guardrails. A task that is
   * read later may be of any skill. Rejects with `AgentDenied`.
   */
  async after(request: AgentRequest, value: unknown): Promise<unknown> {
    const texts = textsIn(value);
    if (texts.length === 0) return value;
    const subject = subjectOf(request, []);
    const changes = await guarded(() => this.guards.changesOf(request.context, subject, texts));
    return changes === null ? value : withTexts(value, (text) => changes.get(text) ?? text);
  }

  /**
   * Checks the text of an error with which an agent responded, and resolves to the error to send,
   * with the changes of guardrails. Other errors have no text of an agent.
   */
  async afterError(request: AgentRequest, error: unknown): Promise<unknown> {
    if (!(error instanceof AgentDenied) || error.logged !== null) return error;
    const { failure, logged, retryAfterMs } = error;
    try {
      const message = await this.after(request, failure.message);
      return new AgentDenied(withMessage(failure, String(message)), logged, retryAfterMs);
    } catch (denied) {
      return denied;
    }
  }
}

const withMessage = (failure: Failure, message: string): Failure =>
  failure instanceof A2aError ? new A2aError(failure.kind, message) : { ...failure, message };

const subjectOf = (request: AgentRequest, texts: readonly string[]): ToolSubject => ({
  server: request.view.guarded,
  requestType: 'a2a',
  capabilityId: capabilityOf(request),
  arguments: { texts },
});

function capabilityOf({ view, call, context }: AgentRequest): ToolSubject['capabilityId'] {
  if (call.operation !== 'sendMessage' && call.operation !== 'sendStreamingMessage')
    return UNKNOWN_CAPABILITY;
  const skill = context.agent?.skill ?? null;
  return skill === null ? null : (view.skills.get(skill)?.id ?? null);
}
