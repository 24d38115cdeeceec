import type { JsonObject } from '../call';
import { asString, objectsOf } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';

/** Methods that the gateway lists for every model. */
const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];

/**
 * Writes a model of OpenAI's or Anthropic's list for a Gemini client. Throws
 * `provider_answer_invalid`.
 */
export function geminiModel(model: JsonObject): JsonObject {
  const id = asString(model['id']);
  if (id === null) throw answerInvalid('a model has no id.');
  const displayName = asString(model['display_name']) ?? id;
  return { name: `models/${id}`, displayName, supportedGenerationMethods: METHODS };
}

/** Writes a list of models for a Gemini client. Throws `provider_answer_invalid`. */
export function geminiModels({ data }: JsonObject): JsonObject {
  if (!Array.isArray(data)) throw answerInvalid('the list of models has no data.');
  return { models: objectsOf(data).map(geminiModel) };
}
