import { list, object, text, type Json } from '../json-values';

/** Contents of a response as a client reads it. */
export interface FoundResponse {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; args: unknown }[];
  finish: unknown;
  usage: { input: number; output: number; cacheRead: number };
}

type Reader = (body: Json) => FoundResponse;

const joined = (items: readonly Json[], name: string): string =>
  items.map((item) => text(item[name])).join('');
const parsed = (json: unknown): unknown => (typeof json === 'string' ? (JSON.parse(json) as unknown) : json);
const counts = (usage: unknown, names: readonly [string, string], cached: (usage: Json) => unknown) => {
  const found = object(usage ?? {});
  return {
    input: Number(found[names[0]]),
    output: Number(found[names[1]]),
    cacheRead: Number(cached(found) ?? 0),
  };
};

const chat: Reader = (body) => {
  const [choice = {}] = list(body['choices']);
  const message = object(choice['message']);
  return {
    text: text(message['content']),
    reasoning: text(message['reasoning_content']),
    calls: list(message['tool_calls']).map((call) => {
      const called = object(call['function']);
      return { id: text(call['id']), name: text(called['name']), args: parsed(called['arguments']) };
    }),
    finish: choice['finish_reason'],
    usage: counts(
      body['usage'],
      ['prompt_tokens', 'completion_tokens'],
      (usage) => object(usage['prompt_tokens_details'])['cached_tokens'],
    ),
  };
};

const anthropic: Reader = (body) => {
  const content = list(body['content']);
  const usage = object(body['usage']);
  const cacheRead = Number(usage['cache_read_input_tokens']);
  return {
    text: joined(content, 'text'),
    reasoning: joined(content, 'thinking'),
    calls: content
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({ id: text(block['id']), name: text(block['name']), args: block['input'] })),
    finish: body['stop_reason'],
    usage: {
      input: Number(usage['input_tokens']) + cacheRead,
      output: Number(usage['output_tokens']),
      cacheRead,
    },
  };
};

const gemini: Reader = (body) => {
  const [candidate = {}] = list(body['candidates']);
  const parts = list(object(candidate['content'])['parts']);
  const usage = object(body['usageMetadata']);
  return {
    text: joined(
      parts.filter(({ thought }) => thought !== true),
      'text',
    ),
    reasoning: joined(
      parts.filter(({ thought }) => thought === true),
      'text',
    ),
    calls: parts
      .filter(({ functionCall }) => functionCall !== undefined)
      .map(({ functionCall }) => {
        const call = object(functionCall);
        return { id: text(call['id']), name: text(call['name']), args: call['args'] };
      }),
    finish: candidate['finishReason'],
    usage: {
      input: Number(usage['promptTokenCount']),
      output: Number(usage['candidatesTokenCount']) + Number(usage['thoughtsTokenCount'] ?? 0),
      cacheRead: Number(usage['cachedContentTokenCount'] ?? 0),
    },
  };
};

const responses: Reader = (body) => {
  const output = list(body['output']);
  const of = (wanted: string): Json[] => output.filter(({ type }) => type === wanted);
  return {
    text: of('message')
      .map((item) => joined(list(item['content']), 'text'))
      .join(''),
    reasoning: of('reasoning')
      .map((item) => joined([...list(item['summary']), ...list(item['content'])], 'text'))
      .join(''),
    calls: of('function_call').map((item) => ({
      id: text(item['call_id']),
      name: text(item['name']),
      args: parsed(item['arguments']),
    })),
    finish: body['status'],
    usage: counts(
      body['usage'],
      ['input_tokens', 'output_tokens'],
      (usage) => object(usage['input_tokens_details'])['cached_tokens'],
    ),
  };
};

const READERS: Readonly<Record<string, Reader>> = {
  'anthropic-messages': anthropic,
  gemini,
  'openai-chat': chat,
  'openai-responses': responses,
};

/** Reads an unstreamed response like a client of the dialect. */
export function readResponse(dialect: string, body: Json): FoundResponse {
  const read = READERS[dialect];
  if (read === undefined) throw new Error(`No reader of ${dialect}`);
  return read(JSON.parse(JSON.stringify(body)) as Json);
}

/** Finish reasons of each client dialect for a normal end, calls, and the token limit. */
export const FINISHES: Readonly<Record<string, Readonly<Record<'stop' | 'calls' | 'length', string>>>> = {
  'anthropic-messages': { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' },
  gemini: { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS' },
  'openai-chat': { stop: 'stop', calls: 'tool_calls', length: 'length' },
  'openai-responses': { stop: 'completed', calls: 'completed', length: 'incomplete' },
};
