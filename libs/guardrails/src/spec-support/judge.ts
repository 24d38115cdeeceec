import { compileGuardrail, type CompiledGuardrail, type CompileOptions } from '../compile';
import type { GuardrailActions } from '../document';
import type { JsonObject } from '../json';
import type { CheckResult, StageVerdict } from '../results';
import { GuardrailRunner } from '../runner';
import { Subject, type GuardrailStage, type RequestFacts } from '../subject';
import { RecordingPort } from './recording-port';

export const FACTS: RequestFacts = {
  dialect: 'chat',
  requestType: 'chatComplete',
  isPassthrough: false,
  method: 'POST',
  path: '/v1/chat/completions',
  contentType: 'application/json',
  provider: 'openai',
  model: 'gpt-4o-mini',
  metadata: {},
  headers: {},
  isStreaming: false,
};

export const chat = (...texts: readonly string[]): JsonObject => ({
  model: 'gpt-4o-mini',
  messages: texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
});

export const response = (...texts: readonly string[]): JsonObject => ({
  id: 'chatcmpl-1',
  choices: texts.map((content, index) => ({ index, message: { role: 'assistant', content } })),
});

export const asking = (text: string, facts: Partial<RequestFacts> = {}): Subject =>
  Subject.input({ ...FACTS, ...facts }, chat(text));

export const responding = (text: string, facts: Partial<RequestFacts> = {}): Subject =>
  Subject.output({ ...FACTS, ...facts }, chat('hello'), response(text), 200);

export const subjectAt = (stage: GuardrailStage, text: string): Subject =>
  stage === 'input' ? asking(text) : responding(text);

/** Compiles a guardrail; throws with all failures when it is invalid. */
export function compiled(
  checks: readonly { readonly id: string; readonly [key: string]: unknown }[],
  actions: GuardrailActions = {},
  options: CompileOptions = {},
): CompiledGuardrail {
  const result = compileGuardrail({ checks, actions }, { id: 'pg-test', ...options });
  if (!result.ok) throw new Error(JSON.stringify(result.details));
  return result.guardrail;
}

/** Runs a single check and returns its result. */
export async function verdictOf(
  id: string,
  parameters: JsonObject,
  subject: Subject,
  port = new RecordingPort(),
): Promise<CheckResult> {
  const { results } = await judged([compiled([{ id, parameters }])], subject, port);
  const check = results[0]?.checks[0];
  if (!check) throw new Error('The check did not run.');
  return check;
}

export const judged = async (
  guardrails: readonly CompiledGuardrail[],
  subject: Subject,
  port = new RecordingPort(),
): Promise<StageVerdict> => await new GuardrailRunner(port).run(guardrails, subject);
