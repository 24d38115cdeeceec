import { partTexts, withPartTexts, type Members } from '@gw/a2a';
import type { ToolGuards, ToolSubject } from '../guardrails/tool-guards';
import { guarded } from './denials';
import type { AgentRequest } from './agent-request';

/**
 * The guardrails of agents. They check the texts and data of messages and of all responses of
 * agents.
 */
export class AgentGuards {
  constructor(private readonly guards: Pick<ToolGuards, 'before' | 'changesOf'>) {}

  /**
   * Checks a client's message and resolves to it, with the changes of guardrails. Rejects with
   * `AgentDenied`.
   */
  async before(request: AgentRequest, message: Members, skill: string | null): Promise<Members> {
    const texts = partTexts(message);
    const subject = subjectOf(request, skill, texts);
    const judged = await guarded(() => this.guards.before(request.context, subject));
    if (judged === subject.arguments) return message;
    const changed: unknown = judged['texts'];
    if (!Array.isArray(changed)) return message;
    let at = 0;
    return withPartTexts(message, (text) => {
      const replaced: unknown = changed[at];
      at += 1;
      return typeof replaced === 'string' ? replaced : text;
    });
  }

  /**
   * Checks an agent's response and resolves to it, with the changes of guardrails. Rejects with
   * `AgentDenied`.
   */
  async after(request: AgentRequest, value: unknown, skill: string | null = null): Promise<unknown> {
    const texts = partTexts(value);
    if (texts.length === 0) return value;
    const subject = subjectOf(request, skill, []);
    const changes = await guarded(() => this.guards.changesOf(request.context, subject, texts));
    return changes === null ? value : withPartTexts(value, (text) => changes.get(text) ?? text);
  }
}

const subjectOf = ({ view }: AgentRequest, skill: string | null, texts: readonly string[]): ToolSubject => ({
  server: view.guarded,
  requestType: 'a2a',
  capabilityId: skill === null ? null : (view.skills.get(skill)?.id ?? null),
  arguments: { texts },
});
