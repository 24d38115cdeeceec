import type { JsonObject, Part, ReasoningPart, Seal, SealMaker, ToolCallPart } from '../call';
import { asString, isAbsent, membersBesides, objectsOf, read, required } from '../values/json';
import { readSeal } from '../values/seals';
import { decodeContent } from './decode-content';
import { HOSTED_CALLS } from './items';
import { DIALECT, withOwn } from './own';

const CALL = new Set(['type', 'call_id', 'name', 'arguments', 'input']);
const RESULT = new Set(['type', 'call_id', 'output']);
const REASONING = new Set(['type', 'id', 'summary', 'content', 'encrypted_content']);

/** Decodes a `function_call` or `custom_tool_call` of a history. */
export function decodeToolCall(item: JsonObject, at: string): ToolCallPart {
  const isCustom = item['type'] === 'custom_tool_call';
  const args = isCustom ? 'input' : 'arguments';
  return {
    kind: 'tool_call',
    id: required(read.string(item['call_id'], `${at}.call_id`), `${at}.call_id`, 'the id of the call'),
    name: required(read.string(item['name'], `${at}.name`), `${at}.name`, 'the name of the tool'),
    args: required(read.string(item[args], `${at}.${args}`), `${at}.${args}`, 'a text'),
    ...(isCustom ? { custom: true } : {}),
    at,
    ...withOwn({ rest: membersBesides(item, CALL) ?? {} }),
  };
}

/** Decodes a `function_call_output` or `custom_tool_call_output`. */
export function decodeToolResult(item: JsonObject, at: string): Part {
  return {
    kind: 'tool_result',
    callId: required(read.string(item['call_id'], `${at}.call_id`), `${at}.call_id`, 'the id of the call'),
    parts: decodeContent(
      required(item['output'] ?? undefined, `${at}.output`, 'a text or a list'),
      `${at}.output`,
    ),
    at,
    ...withOwn({
      rest: membersBesides(item, RESULT) ?? {},
      ...(item['type'] === 'custom_tool_call_output' ? { isCustom: true } : {}),
    }),
  };
}

/** Returns the texts of a reasoning item; several summary parts become paragraphs of one text. */
function reasoningText(item: JsonObject): {
  readonly text: string;
  readonly isContent: boolean;
  readonly count: number;
} {
  const texts = (value: unknown): string[] => objectsOf(value).map((part) => asString(part['text']) ?? '');
  const summary = texts(item['summary']);
  const content = texts(item['content']);
  const isContent = summary.length === 0 && content.length > 0;
  return {
    text: (isContent ? content : summary).join('\n\n'),
    isContent,
    count: summary.length + content.length,
  };
}

/** Decodes a reasoning item. `maker` is the maker of a seal that names none. */
export function decodeReasoning(item: JsonObject, maker: SealMaker, at?: string): ReasoningPart {
  const { text, isContent, count } = reasoningText(item);
  const id = asString(item['id']);
  const content = asString(item['encrypted_content']);
  const rest = membersBesides(item, REASONING);
  return {
    kind: 'reasoning',
    text,
    ...(count > 0 && !isContent ? { summary: true } : {}),
    ...(content === null || content === '' ? {} : { seal: reasoningSeal(content, maker, count === 0) }),
    ...(id === null ? {} : { itemId: id }),
    ...(at === undefined ? {} : { at }),
    ...withOwn({
      ...(isContent ? { isContent } : {}),
      ...(rest === undefined ? {} : { rest }),
      ...(count > 1 ? { reasoning: textsOf(item) } : {}),
    }),
  };
}

const textsOf = ({ summary, content }: JsonObject): JsonObject => ({
  summary: summary ?? [],
  ...(isAbsent(content) ? {} : { content }),
});

function reasoningSeal(content: string, maker: SealMaker, isTextless: boolean): Seal {
  const seal = readSeal(content, maker);
  // A thinking block whose text was left out has a summary with an empty text.
  return seal.by === 'anthropic' && isTextless ? { ...seal, redacted: true } : seal;
}

/**
 * Returns whether a reasoning part only carries the seal of a neighbouring part, as Gemini's
 * thought signatures are.
 */
export const isCarrier = (part: ReasoningPart): boolean =>
  part.text === '' && part.summary !== true && part.seal?.by === 'google';

/** Decodes an item of a type without a neutral form. */
export function decodeOtherItem(item: JsonObject, type: string, at?: string): Part {
  const tool = HOSTED_CALLS.get(type);
  const base = {
    dialect: DIALECT,
    data: item,
    ...(at === undefined ? {} : { at }),
    ...withOwn({ isItem: true }),
  } as const;
  return tool === undefined ? { kind: 'opaque', ...base } : { kind: 'hosted_call', tool, ...base };
}
