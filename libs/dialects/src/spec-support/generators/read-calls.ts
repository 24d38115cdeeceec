import { list, object, text, type Json } from '../json-values';

/** Contents of a call as a provider reads it. Ids are '' in dialects without ids. */
export interface FoundCall {
  system: string;
  user: string;
  assistant: string;
  calls: { id: string; name: string; args: unknown }[];
  results: { id: string; text: string }[];
}

type Reader = (body: Json, found: FoundCall) => void;
type Sayer = 'system' | 'user' | 'assistant';

const parsed = (json: unknown): unknown => (typeof json === 'string' ? (JSON.parse(json) as unknown) : json);
const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => text(part['text']))
        .join('');

/** Reads messages of Chat Completions and similar dialects. */
const chat: Reader = (body, found) => {
  for (const message of list(body['messages'])) {
    const role = text(message['role']);
    if (role === 'tool') {
      found.results.push({ id: text(message['tool_call_id']), text: textIn(message['content']) });
      continue;
    }
    const said = textIn(message['content']) + text(message['tool_plan']);
    found[role === 'developer' ? 'system' : (role as Sayer)] += said;
    for (const call of list(message['tool_calls'])) {
      const called = object(call['function']);
      found.calls.push({
        id: text(call['id']),
        name: text(called['name']),
        args: parsed(called['arguments']),
      });
    }
  }
};

const anthropic: Reader = (body, found) => {
  found.system += textIn(body['system']);
  for (const message of list(body['messages'])) {
    const role = message['role'] as Sayer;
    if (typeof message['content'] === 'string') found[role] += message['content'];
    for (const block of list(message['content'])) {
      if (block['type'] === 'text') found[role] += text(block['text']);
      if (block['type'] === 'tool_use')
        found.calls.push({ id: text(block['id']), name: text(block['name']), args: block['input'] });
      if (block['type'] === 'tool_result')
        found.results.push({ id: text(block['tool_use_id']), text: textIn(block['content']) });
    }
  }
};

const bedrock: Reader = (body, found) => {
  found.system += textIn(body['system']);
  for (const message of list(body['messages'])) {
    for (const block of list(message['content'])) {
      found[message['role'] as Sayer] += text(block['text']);
      if (block['toolUse'] !== undefined) {
        const use = object(block['toolUse']);
        found.calls.push({ id: text(use['toolUseId']), name: text(use['name']), args: use['input'] });
      }
      if (block['toolResult'] !== undefined) {
        const result = object(block['toolResult']);
        found.results.push({ id: text(result['toolUseId']), text: textIn(result['content']) });
      }
    }
  }
};

const gemini: Reader = (body, found) => {
  found.system += textIn(object(body['systemInstruction'] ?? {})['parts']);
  for (const content of list(body['contents'])) {
    for (const part of list(content['parts'])) {
      if (part['thought'] !== true)
        found[content['role'] === 'model' ? 'assistant' : 'user'] += text(part['text']);
      if (part['functionCall'] !== undefined) {
        const call = object(part['functionCall']);
        found.calls.push({ id: text(call['id']), name: text(call['name']), args: call['args'] });
      }
      if (part['functionResponse'] !== undefined) {
        const result = object(part['functionResponse']);
        const output = object(result['response'])['output'];
        found.results.push({
          id: text(result['id']),
          text: typeof output === 'string' ? output : JSON.stringify(output),
        });
      }
    }
  }
};

const responses: Reader = (body, found) => {
  found.system += text(body['instructions']);
  for (const item of list(body['input'])) {
    if (item['type'] === 'function_call') {
      found.calls.push({
        id: text(item['call_id']),
        name: text(item['name']),
        args: parsed(item['arguments']),
      });
    } else if (item['type'] === 'function_call_output') {
      found.results.push({ id: text(item['call_id']), text: textIn(item['output']) });
    } else if (item['role'] !== undefined) {
      const role = text(item['role']);
      found[role === 'developer' ? 'system' : (role as Sayer)] += textIn(item['content']);
    }
  }
};

const READERS: Readonly<Record<string, Reader>> = {
  'anthropic-messages': anthropic,
  'bedrock-converse': bedrock,
  'cohere-v2': chat,
  gemini,
  mistral: chat,
  ollama: chat,
  'openai-chat': chat,
  'openai-responses': responses,
};

/** Reads a call like a provider of the dialect. */
export function readCall(dialect: string, body: Json): FoundCall {
  const found: FoundCall = { system: '', user: '', assistant: '', calls: [], results: [] };
  const read = READERS[dialect];
  if (read === undefined) throw new Error(`No reader of ${dialect}`);
  read(JSON.parse(JSON.stringify(body)) as Json, found);
  return found;
}
