import type { Citation, JsonObject, Part } from '../call';
import type { ClientContext } from '../codec';
import type { Candidate, Logprob, ModelResponse } from '../response';
import { compact, optional } from '../values/json';
import { callIdOf } from '../values/tool-ids';
import { asDataUrl } from './decode-content';
import { thinkingBlock } from './encode-messages';
import { nativeFinish, refusalOf, writeFinish } from './finish';
import { writeUsage } from './usage';

/** Encodes a response as a chat completion. Members beyond OpenAI's are left out in `strict`. */
export function encodeResponse(response: ModelResponse, context: ClientContext): JsonObject {
  const { strict = false, provider } = context;
  const id = response.id === '' ? context.requestId : response.id;
  return {
    id,
    object: 'chat.completion',
    created: response.created,
    model: response.model === '' ? context.model : response.model,
    ...(strict ? {} : { provider }),
    choices: response.candidates.map((candidate) => encodeChoice(candidate, id, strict)),
    ...(response.usage === undefined ? {} : { usage: writeUsage(response.usage) }),
    ...optional('service_tier', response.serviceTier),
    ...optional('system_fingerprint', response.fingerprint),
  };
}

function encodeChoice(candidate: Candidate, id: string, strict: boolean): JsonObject {
  const { index, parts, finish, logprobs } = candidate;
  const calls = parts.filter((part) => part.kind === 'tool_call');
  return compact({
    index,
    message: encodeMessage(
      parts,
      calls.map((part, at) => writeToolCall({ ...part, id: callIdOf(part.id, id, index, at) }, strict)),
      refusalOf(finish),
      strict,
    ),
    logprobs: logprobs === undefined ? null : { content: logprobs.map(writeLogprob), refusal: null },
    finish_reason: writeFinish(finish),
    native_finish_reason: strict ? undefined : nativeFinish(finish),
  });
}

function encodeMessage(
  parts: readonly Part[],
  calls: readonly JsonObject[],
  explanation: string | undefined,
  strict: boolean,
): JsonObject {
  const texts = parts.filter((part) => part.kind === 'text');
  const refusals = parts.filter((part) => part.kind === 'refusal');
  const annotations = texts.flatMap(({ citations = [] }) =>
    citations.filter(({ url }) => url !== undefined).map(writeAnnotation),
  );
  const refusal = refusals.length === 0 ? (explanation ?? null) : refusals.map(({ text }) => text).join('');
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.map(({ text }) => text).join(''),
    refusal,
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(strict ? {} : extensions(parts)),
  };
}

function extensions(parts: readonly Part[]): JsonObject {
  const reasoning = parts.filter((part) => part.kind === 'reasoning');
  const text = reasoning.map((part) => part.text).join('');
  const isSealed = reasoning.some(({ seal }) => seal !== undefined);
  const images = parts.flatMap((part) => (part.kind === 'media' ? writeImage(part) : []));
  const others = parts.flatMap((part) => ('dialect' in part ? [part.data] : []));
  return {
    ...(text === '' ? {} : { reasoning_content: text }),
    ...(isSealed ? { thinking_blocks: reasoning.map(thinkingBlock) } : {}),
    ...(images.length === 0 ? {} : { images }),
    ...(others.length === 0 ? {} : { content_blocks: others }),
  };
}

export function writeImage(part: Extract<Part, { kind: 'media' }>): JsonObject[] {
  if (part.media !== 'image' || part.source.at !== 'base64') return [];
  return [{ type: 'image_url', image_url: { url: asDataUrl(part.mime ?? 'image/png', part.source.data) } }];
}

function writeToolCall(part: Extract<Part, { kind: 'tool_call' }>, strict: boolean): JsonObject {
  const { id, name, args, custom = false, seal } = part;
  const isSigned = seal?.by === 'google' && !strict;
  return {
    id,
    ...(custom
      ? { type: 'custom', custom: { name, input: args } }
      : { type: 'function', function: { name, arguments: args === '' ? '{}' : args } }),
    ...(isSigned ? { extra_content: { google: { thought_signature: seal.value } } } : {}),
  };
}

export const writeAnnotation = ({ url, title = '', start = 0, end = 0 }: Citation): JsonObject => ({
  type: 'url_citation',
  url_citation: { url, title, start_index: start, end_index: end },
});

export const writeLogprob = ({ token, logprob, bytes = null, top = [] }: Logprob): JsonObject => ({
  token,
  logprob,
  bytes,
  top_logprobs: top.map((item) => ({ token: item.token, logprob: item.logprob, bytes: item.bytes ?? null })),
});
