import { A2aError, checkTaskState, type Members, type TaskRecord } from '@gw/a2a';
import { GatewayError, isObject } from '@gw/kernel';
import { AgentDenied, rateDenied } from './denials';
import type { AgentRequest } from './agent-request';
import type { CallerTasks } from './tasks/caller-tasks';

/**
 * A message whose task, context and skill the caller may use; limits and guardrails have not
 * checked it yet.
 */
export interface MessageSubject {
  /** The message in the client's format; a context of another caller is removed. */
  readonly message: Members;
  /** The task that the message continues; null when it continues none. */
  readonly task: TaskRecord | null;
  /** The context in which the message was counted; null when the message begins one. */
  readonly contextId: string | null;
  /** Id of the skill that the message names; null when it names none. */
  readonly skill: string | null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/**
 * Checks the task, context and skill of a message. Rejects with `A2aError` for a task of another
 * caller, a task that has ended, or a skill that the caller may not use, and with `AgentDenied` for
 * a context with too many messages.
 */
export async function subjectOf(request: AgentRequest, tasks: CallerTasks): Promise<MessageSubject> {
  const { view, call, context } = request;
  const sent = call.params['message'] as Members;
  const skill = skillOf(request, sent);
  const taskId = textOf(sent['taskId']);
  const task = taskId === null ? null : await tasks.own(view, taskId);
  if (task !== null) checkTaskState(call.operation, task.state);
  await tasks.checkReferences(view, sent);
  const named = textOf(sent['contextId']);
  const contextId = named === null ? null : await tasks.ownContext(view, named);
  const { contextId: _named, ...rest } = sent;
  const message: Members = contextId === null ? rest : { ...rest, contextId };
  if (context.agent !== null) context.agent.parts = countedParts(sent);
  const counted = contextId ?? task?.contextId ?? null;
  await assertMessageRate(request, tasks, counted);
  return { message, task, contextId: counted, skill };
}

function skillOf({ view, call, context }: AgentRequest, message: Members): string | null {
  const named = [call.params['metadata'], message['metadata']].flatMap((metadata) => {
    const skill = isObject(metadata) ? textOf(metadata['skillId']) : null;
    return skill === null ? [] : [skill];
  });
  const unknown = named.find((skill) => !view.skills.has(skill));
  if (unknown !== undefined) throw new A2aError('invalidParams', `Unknown skill: ${unknown.slice(0, 256)}`);
  const [skill = null] = named;
  if (skill === null && !view.mayOmitSkill)
    throw new A2aError('invalidParams', 'metadata.skillId must name a skill of the agent that you may use.');
  if (context.agent !== null) context.agent.skill = skill;
  return skill;
}

async function assertMessageRate(
  { view }: AgentRequest,
  tasks: CallerTasks,
  contextId: string | null,
): Promise<void> {
  const { messagesPerContextHour: max } = view.document.limits;
  if (max === null || contextId === null) return;
  if ((await tasks.store.countMessage(view.document.id, contextId)) <= max) return;
  throw tooManyMessages(max);
}

const tooManyMessages = (max: number): AgentDenied =>
  rateDenied(
    new GatewayError('rate_limited', {
      message: `A context may have ${String(max)} messages in an hour; begin a new one, or retry in the next hour.`,
    }),
    60_000,
    { limit: max },
  );

function countedParts({ parts }: Members): { text: number; file: number; data: number } {
  const counts = { text: 0, file: 0, data: 0 };
  for (const part of Array.isArray(parts) ? (parts as readonly unknown[]) : []) {
    if (!isObject(part)) continue;
    if (typeof part['text'] === 'string') counts.text += 1;
    else if (Object.hasOwn(part, 'data')) counts.data += 1;
    else counts.file += 1;
  }
  return counts;
}
