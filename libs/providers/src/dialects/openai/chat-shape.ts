import type { JsonObject, TranslationContext } from '../../provider';

/** Members of a message, and of a delta, in the OpenAI API. */
const OPENAI_MEMBERS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'annotations',
  'audio',
]);

/** How much of a translated answer a client of chat completions is shown. */
export interface ChatShape {
  /** Members next to `id` and `model` of the answer and of each chunk. */
  readonly head: JsonObject;
  message(message: JsonObject): JsonObject;
  /** Null: nothing of it is left, so that its chunk is left out. */
  delta(delta: JsonObject): JsonObject | null;
}

const STRICT: ChatShape = {
  head: {},
  message: openAiMembers,
  delta(delta) {
    const shown = openAiMembers(delta);
    return Object.keys(shown).length === 0 ? null : shown;
  },
};

/** The one place that decides what a translated answer shows: `strict_open_ai_compliance`, for all translators. */
export const chatShape = ({ strict, provider }: TranslationContext): ChatShape =>
  strict ? STRICT : { head: { provider }, message: (message) => message, delta: (delta) => delta };

function openAiMembers(said: JsonObject): JsonObject {
  const names = Object.keys(said);
  if (names.every((name) => OPENAI_MEMBERS.has(name))) return said;
  return Object.fromEntries(Object.entries(said).filter(([name]) => OPENAI_MEMBERS.has(name)));
}
