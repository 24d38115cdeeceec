import type { Citation, JsonObject, Part, TextPart, ToolCallPart } from '../call';
import type { ProviderContext } from '../codec';
import { responseArguments } from '../openai-chat/decode-response';
import type { Logprob, ModelResponse } from '../response';
import { asArray, asNumber, asObject, asString, objectsOf, optional } from '../values/json';
import { withoutFailure } from '../values/failed-response';
import { answerInvalid } from '../values/tool-arguments';
import { callIdOf } from '../values/tool-ids';
import { citationsIn, readCitation } from './citations';
import { readFinish } from './finish';
import { readUsage } from './usage';

/**
 * Decodes a response of `/v2/chat`. Throws `provider_answer_invalid` for a body without a message,
 * or a failure without content.
 */
export function decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse {
  const message = asObject(body['message']);
  if (message === null) throw answerInvalid('The response has no message.');
  const id = asString(body['id']) ?? context.requestId;
  const calls = toolCalls(message['tool_calls'], id);
  const logprobs = asArray(body['logprobs']);
  const candidate = {
    index: 0,
    parts: [...contentParts(message), ...calls],
    finish: readFinish(body['finish_reason'], calls.length > 0, context.call),
    ...(logprobs === null ? {} : { logprobs: objectsOf(logprobs).flatMap(readLogprobs) }),
  };
  return {
    id,
    model: context.target.model,
    created: context.createdAt,
    candidates: withoutFailure([candidate]),
    ...optional('usage', readUsage(body['usage'])),
  };
}

/** Returns the parts of a message: reasoning first, then the plan of the calls, then the text. */
function contentParts(message: JsonObject): Part[] {
  const content =
    typeof message['content'] === 'string' ? [{ text: message['content'] }] : message['content'];
  const items: { readonly index: number; readonly part: Part }[] = objectsOf(content).map((item, index) => ({
    index,
    part: contentPart(item),
  }));
  const plan = asString(message['tool_plan']) ?? '';
  const filled = items.filter(({ part }) => !('text' in part) || part.text !== '');
  const reasoning = filled.filter(({ part }) => part.kind === 'reasoning');
  const others = filled.filter(({ part }) => part.kind !== 'reasoning');
  const ordered = [
    ...reasoning,
    ...(plan === '' ? [] : [{ index: PLAN, part: { kind: 'text', text: plan } as const }]),
    ...others,
  ];
  return withCitations(ordered, citationsIn(message['citations']));
}

/** Index that stands for the plan, which is not an item of the content. */
const PLAN = -1;

const contentPart = (item: JsonObject): Part =>
  item['type'] === 'thinking'
    ? { kind: 'reasoning', text: asString(item['thinking']) ?? '' }
    : { kind: 'text', text: asString(item['text']) ?? '' };

/** Adds the citations to the texts that they cite. Reasoning has none. */
function withCitations(
  items: readonly { readonly index: number; readonly part: Part }[],
  citations: readonly JsonObject[],
): Part[] {
  const byIndex = new Map<number, JsonObject[]>();
  const [first] = items.filter(({ index, part }) => part.kind === 'text' && index !== PLAN);
  for (const data of citations) {
    const index = citedIndex(data, first?.index);
    if (index === null) continue;
    const known = byIndex.get(index);
    if (known === undefined) byIndex.set(index, [data]);
    else known.push(data);
  }
  let offset = 0;
  return items.map(({ index, part }) => {
    if (part.kind !== 'text') return part;
    const found = (byIndex.get(index) ?? []).flatMap((data): Citation[] => readCitation(data, offset));
    offset += part.text.length;
    return found.length === 0 ? part : ({ ...part, citations: found } satisfies TextPart);
  });
}

/**
 * Returns the index of the item that a citation cites: the one that it names, else the first text.
 * Null when it cites reasoning.
 */
export function citedIndex(data: JsonObject, firstText: number | undefined): number | null {
  if (data['type'] === 'PLAN') return PLAN;
  if (data['type'] === 'THINKING_CONTENT') return null;
  return asNumber(data['content_index']) ?? firstText ?? null;
}

const toolCalls = (value: unknown, id: string): ToolCallPart[] =>
  objectsOf(value).map((call, index) => ({
    ...readToolCall(call, id, index),
    args: responseArguments(asObject(call['function'])?.['arguments']),
  }));

/**
 * Reads a tool call without its arguments. `id` of the response and `index` make an id for a call
 * without one.
 */
export function readToolCall(call: JsonObject, id: string, index: number): ToolCallPart {
  const given = asString(call['id']) ?? '';
  return {
    kind: 'tool_call',
    id: callIdOf(given, id, 0, index),
    name: asString(asObject(call['function'])?.['name']) ?? '',
    args: '',
  };
}

/** Reads an item of `logprobs`: the text of one or more tokens, and the probability of each. */
export const readLogprobs = (item: JsonObject): Logprob[] =>
  (asArray(item['logprobs']) ?? []).map((logprob, index) => ({
    token: index === 0 ? (asString(item['text']) ?? '') : '',
    logprob: asNumber(logprob) ?? 0,
  }));
