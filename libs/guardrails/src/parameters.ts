import { CheckError } from './check';
import { GUARDRAIL_LIMITS } from './bounds';
import type { Subject } from './subject';
import { SCOPES, type Scope } from './text/scope';

/** JSON Schema of the parameter `scope`. */
export const scopeParameter = (...defaults: readonly Scope[]) => ({
  type: 'array',
  items: { enum: SCOPES },
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  default: defaults,
  description: 'The texts that are checked.',
});

export const NOT_PARAMETER = { type: 'boolean', default: false, description: 'Inverts the verdict.' };

export const FAIL_ON_ERROR = {
  type: 'boolean',
  description: 'Whether a check that cannot decide counts as failed; the guardrail decides when absent.',
};

export const textList = (itemsMax: number, lengthMax = 1_000) => ({
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: lengthMax },
  maxItems: itemsMax,
});

/** Returns the schema of the parameters of a check, with `failOnError` added. */
export const object = (
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties: { ...properties, failOnError: FAIL_ON_ERROR },
  required,
  additionalProperties: false,
});

/**
 * Returns the texts that the scopes select, one for each message or choice. Throws `CheckError`
 * when the input consists of tokens or the texts are too long.
 */
export function textsOf(subject: Subject, scope: readonly Scope[]): readonly string[] {
  if (subject.hasTokens()) throw new CheckError('The input consists of tokens, not of text.');
  const texts = subject.texts(scope);
  let length = 0;
  for (const text of texts) length += text.length;
  if (length > GUARDRAIL_LIMITS.textLengthMax) {
    throw new CheckError(`The text is longer than ${String(GUARDRAIL_LIMITS.textLengthMax)} characters.`);
  }
  return texts;
}

/**
 * Returns the selected texts, or one empty text when there are none, for rules that a missing text
 * breaks.
 */
export function textsOrEmpty(subject: Subject, scope: readonly Scope[]): readonly string[] {
  const texts = textsOf(subject, scope);
  return texts.length === 0 ? [''] : texts;
}
