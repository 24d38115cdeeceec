import { asObject, asString } from '@gw/dialects';
import type { JsonObject } from '../provider';
import type { SandboxResponse } from './request';
import {
  checkSize,
  CREATED,
  FINGERPRINT,
  includesUsage,
  invalid,
  readInteger,
  readStop,
  usageOf,
  type SandboxRequest,
} from './request';
import { exampleOf } from './example';
import { writeText, type SandboxText } from './text';
import { toolCall, type SandboxCall } from './tool-call';

const TOKENS_MAX = 1_000_000;

/** Returns an OpenAI chat completion, whole or streamed. */
export function chatResponse(request: SandboxRequest): SandboxResponse {
  const { body, dials, model } = request;
  const prompt = readMessages(body);
  const choices = readInteger(body, 'n', 1, 128) ?? 1;
  const limits = {
    maxTokens:
      readInteger(body, 'max_completion_tokens', 1, TOKENS_MAX) ??
      readInteger(body, 'max_tokens', 1, TOKENS_MAX),
    stop: readStop(body),
    chunks: dials.chunks,
  };
  checkSize(dials, choices * (dials.chunks ?? 1));
  const call = toolCall(body, request.id);
  if (call !== null) return callResponse(request, call, usageOf(dials.usage, prompt, call.arguments));
  const json = structured(body);
  const texts = Array.from({ length: choices }, (_, index) =>
    json === null ? writeText(model, prompt, index, limits) : jsonText(json),
  );
  checkSize(
    dials,
    texts.reduce((sum, { pieces }) => sum + pieces.length, 0),
  );
  const usage = usageOf(dials.usage, prompt, texts.map(({ pieces }) => pieces.join('')).join(''));
  return body['stream'] === true ? streamed(request, texts, usage) : whole(request, texts, usage);
}

/** Returns the JSON text that `response_format` requires; null when it requires none. */
function structured(body: JsonObject): string | null {
  const format = asObject(body['response_format']);
  if (format?.['type'] === 'json_object') return '{}';
  if (format?.['type'] !== 'json_schema') return null;
  return JSON.stringify(exampleOf(asObject(format['json_schema'])?.['schema']));
}

const jsonText = (json: string): SandboxText => ({ pieces: [json], finishReason: 'stop' });

/** Returns a response that calls a tool. */
function callResponse(
  request: SandboxRequest,
  { id, name, arguments: json }: SandboxCall,
  usage: JsonObject | undefined,
): SandboxResponse {
  const called = { id, type: 'function', function: { name, arguments: json } };
  if (request.body['stream'] !== true) {
    const message = { role: 'assistant', content: null, refusal: null, tool_calls: [called] };
    return {
      kind: 'json',
      body: {
        ...head(request, 'chat.completion'),
        choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }],
        ...(usage === undefined ? {} : { usage }),
      },
    };
  }
  const withUsage = includesUsage(request.body);
  const base = { ...head(request, 'chat.completion.chunk'), ...(withUsage ? { usage: null } : {}) };
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const callStart = { index: 0, ...called, function: { name, arguments: '' } };
  return {
    kind: 'stream',
    opening: [chunk({ role: 'assistant', content: null, tool_calls: [callStart] })],
    content: [chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] })],
    length: 1,
    closing: [
      chunk({}, 'tool_calls'),
      ...(withUsage && usage !== undefined ? [{ ...base, choices: [], usage }] : []),
    ],
  };
}

const head = ({ id, model }: SandboxRequest, object: string): JsonObject => ({
  id: `chatcmpl-sandbox-${id}`,
  object,
  created: CREATED,
  model,
  system_fingerprint: FINGERPRINT,
});

const whole = (
  request: SandboxRequest,
  texts: readonly SandboxText[],
  usage: JsonObject | undefined,
): SandboxResponse => ({
  kind: 'json',
  body: {
    ...head(request, 'chat.completion'),
    choices: texts.map(({ pieces, finishReason }, index) => ({
      index,
      message: { role: 'assistant', content: pieces.join(''), refusal: null },
      logprobs: null,
      finish_reason: finishReason,
    })),
    ...(usage === undefined ? {} : { usage }),
  },
});

function streamed(
  request: SandboxRequest,
  texts: readonly SandboxText[],
  usage: JsonObject | undefined,
): SandboxResponse {
  const withUsage = includesUsage(request.body);
  const base = { ...head(request, 'chat.completion.chunk'), ...(withUsage ? { usage: null } : {}) };
  const chunk = (index: number, delta: JsonObject, finish: string | null): JsonObject => ({
    ...base,
    choices: [{ index, delta, logprobs: null, finish_reason: finish }],
  });
  return {
    kind: 'stream',
    opening: texts.map((_, index) => chunk(index, { role: 'assistant', content: '' }, null)),
    content: contentOf(texts, chunk),
    length: texts.reduce((sum, { pieces }) => sum + pieces.length, 0),
    closing: [
      ...texts.map(({ finishReason }, index) => chunk(index, {}, finishReason)),
      ...(withUsage && usage !== undefined ? [{ ...base, choices: [], usage }] : []),
    ],
  };
}

function* contentOf(
  texts: readonly SandboxText[],
  chunk: (index: number, delta: JsonObject, finish: string | null) => JsonObject,
): Generator<JsonObject> {
  for (const [index, { pieces }] of texts.entries()) {
    for (const content of pieces) yield chunk(index, { content }, null);
  }
}

/** Returns the text of all messages, which the sandbox counts and quotes. */
function readMessages(body: JsonObject): string {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('messages must be a list with at least one message.', 'messages');
  }
  return messages.map((message) => contentText(asObject(message)?.['content'])).join('\n');
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => asString(asObject(part)?.['text']) ?? '').join('');
}
