import type { Citation, JsonObject, Part, ToolCallPart } from '../call';
import type { ProviderContext } from '../codec';
import type { Candidate, Logprob, ModelResponse } from '../response';
import { parseDataUrl } from '../values/data-url';
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isAbsent,
  objectsOf,
  optional,
  writtenJson,
} from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { withoutFailure } from '../values/failed-response';
import { callIdOf } from '../values/tool-ids';
import { readFinish } from './finish';
import { usageIn } from './usage';

/**
 * Decodes a chat completion. Throws `provider_answer_invalid` for a body without choices, or an
 * error with status 200.
 */
export function decodeResponse(
  body: JsonObject,
  context: ProviderContext,
  content: ContentReader = plainContent,
): ModelResponse {
  const choices = asArray(body['choices']);
  if (choices === null || choices.length === 0) throw answerInvalid('no choices');
  const id = asString(body['id']) ?? context.requestId;
  return {
    id,
    model: asString(body['model']) ?? context.target.model,
    created: asNumber(body['created']) ?? context.createdAt,
    candidates: withoutFailure(
      objectsOf(choices).map((choice, index) => decodeChoice(choice, index, id, content)),
    ),
    ...optional('usage', usageIn(body)),
    ...optional('serviceTier', asString(body['service_tier']) ?? undefined),
    ...optional('fingerprint', asString(body['system_fingerprint']) ?? undefined),
  };
}

/** Reads the reasoning and the content of a message. */
export type ContentReader = (message: JsonObject) => readonly Part[];

const plainContent: ContentReader = (message) => [...reasoningParts(message), ...contentParts(message)];

function decodeChoice(choice: JsonObject, position: number, id: string, content: ContentReader): Candidate {
  const index = asNumber(choice['index']) ?? position;
  const message = asObject(choice['message']) ?? {};
  const calls = toolCallParts(message, id, index);
  const logprobs = readLogprobs(choice['logprobs']);
  return {
    index,
    parts: [...content(message), ...imageParts(message), ...calls],
    finish: readFinish(choice['finish_reason'], calls.length > 0),
    ...(logprobs === null ? {} : { logprobs }),
  };
}

/** Returns the reasoning of a message or a delta, in either of the members that servers use. */
export function reasoningText(message: JsonObject): string {
  const text = asString(message['reasoning_content']) ?? '';
  return text === '' ? (asString(message['reasoning']) ?? '') : text;
}

export function reasoningParts(message: JsonObject): Part[] {
  const text = reasoningText(message);
  const thought = thinkingText(message['content']);
  return text + thought === '' ? [] : [{ kind: 'reasoning', text: text + thought }];
}

/** Returns the text of the thinking parts of a content list, as Mistral sends them. */
export const thinkingText = (content: unknown): string =>
  objectsOf(content)
    .filter(({ type }) => type === 'thinking')
    .map((part) => (typeof part['thinking'] === 'string' ? part['thinking'] : plainText(part['thinking'])))
    .join('');

/** Returns the text of a content, which is a string or a list of parts. */
export const plainText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content)
        .map((part) =>
          isAbsent(part['type']) || part['type'] === 'text' ? (asString(part['text']) ?? '') : '',
        )
        .join('');

function contentParts(message: JsonObject): Part[] {
  const text = plainText(message['content']);
  const refusal = asString(message['refusal']) ?? '';
  const citations = readAnnotations(message['annotations']);
  return [
    ...(text === ''
      ? []
      : [{ kind: 'text', text, ...(citations.length === 0 ? {} : { citations }) } as const]),
    ...(refusal === '' ? [] : [{ kind: 'refusal', text: refusal } as const]),
  ];
}

export const readAnnotations = (value: unknown): Citation[] =>
  objectsOf(value)
    .filter(({ type }) => type === 'url_citation')
    .map((annotation) => {
      const cited = asObject(annotation['url_citation']) ?? annotation;
      return {
        ...optional('url', asString(cited['url']) ?? undefined),
        ...optional('title', asString(cited['title']) ?? undefined),
        ...optional('start', asNumber(cited['start_index']) ?? undefined),
        ...optional('end', asNumber(cited['end_index']) ?? undefined),
      };
    });

/** Decodes images of a message or a delta in OpenRouter's form. */
export const imageParts = (message: JsonObject): Part[] =>
  objectsOf(message['images']).flatMap((image): Part[] => {
    const data = parseDataUrl(asString(asObject(image['image_url'])?.['url']) ?? '');
    return data === null
      ? []
      : [{ kind: 'media', media: 'image', mime: data.mime, source: { at: 'base64', data: data.data } }];
  });

function toolCallParts(message: JsonObject, id: string, candidate: number): ToolCallPart[] {
  const old = asObject(message['function_call']);
  const calls = [...objectsOf(message['tool_calls']), ...(old === null ? [] : [{ function: old }])];
  return calls.map((call, index) => {
    const custom = asObject(call['custom']);
    const called = custom ?? asObject(call['function']) ?? {};
    const given = asString(call['id']) ?? '';
    const signature = googleSignature(call);
    return {
      kind: 'tool_call',
      id: callIdOf(given, id, candidate, index),
      name: asString(called['name']) ?? '',
      args: custom === null ? responseArguments(called['arguments']) : (asString(custom['input']) ?? ''),
      ...(custom === null ? {} : { custom: true }),
      ...(signature === null ? {} : { seal: { by: 'google', value: signature } as const }),
    };
  });
}

/** Returns Google's signature of a call, from Google's OpenAI-compatible form; null without one. */
export const googleSignature = (call: JsonObject): string | null =>
  asString(asObject(asObject(call['extra_content'])?.['google'])?.['thought_signature']);

/**
 * Returns the text of a call's arguments in a response. Throws `provider_answer_invalid` when they
 * are nested too deeply.
 */
export function responseArguments(value: unknown): string {
  const text = argumentsText(value);
  if (text === null) throw answerInvalid('The arguments of a tool call are nested too deeply.');
  return text;
}

/**
 * Returns the text of arguments; some providers send an object. Null for an object that is nested
 * too deeply to serialise.
 */
export const argumentsText = (value: unknown): string | null =>
  typeof value === 'string' ? value : isAbsent(value) ? '' : writtenJson(value);

export function readLogprobs(value: unknown): Logprob[] | null {
  const content = asArray(asObject(value)?.['content']);
  return content === null ? null : objectsOf(content).map(readLogprob);
}

const readLogprob = (item: JsonObject): Logprob => {
  const bytes = asArray(item['bytes']);
  return {
    token: asString(item['token']) ?? '',
    logprob: asNumber(item['logprob']) ?? 0,
    ...(bytes === null ? {} : { bytes: bytes.filter((byte): byte is number => typeof byte === 'number') }),
    top: objectsOf(item['top_logprobs']).map((top) => ({
      token: asString(top['token']) ?? '',
      logprob: asNumber(top['logprob']) ?? 0,
    })),
  };
};
