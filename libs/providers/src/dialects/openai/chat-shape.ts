import type { JsonObject, TranslationContext } from '../../provider';

/** Members of a message or a delta in the OpenAI API. */
const OPENAI_MEMBERS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'annotations',
  'audio',
]);

/** Selects which members of a translated response a chat completions client gets. */
export interface ChatShape {
  /** Members next to `id` and `model` of the response and of each chunk. */
  readonly head: JsonObject;
  message(message: JsonObject): JsonObject;
  /**
   * Returns the members that the client gets; null when there are none, so that the chunk is
   * omitted.
   */
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

/**
 * Returns the shape of translated responses by `strict_open_ai_compliance`. All translators use it.
 */
export const chatShape = ({ strict, provider }: TranslationContext): ChatShape =>
  strict ? STRICT : { head: { provider }, message: (message) => message, delta: (delta) => delta };

function openAiMembers(members: JsonObject): JsonObject {
  const names = Object.keys(members);
  if (names.every((name) => OPENAI_MEMBERS.has(name))) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => OPENAI_MEMBERS.has(name)));
}
