import { asObject } from '../values/json';

type Json = Record<string, unknown>;
type Spellings = Readonly<Record<string, (body: Json) => Json>>;

const text = (type: string, value: unknown): unknown =>
  typeof value === 'string' ? [{ type, text: value }] : value;

const objects = (value: unknown): Json[] =>
  Array.isArray(value) ? value.map((item: unknown) => asObject(item) ?? {}) : [];

const each = (value: unknown, change: (item: Json) => Json): unknown =>
  Array.isArray(value) ? objects(value).map(change) : value;

/** Normalises a chat message: a single text part becomes its text. */
function chatMessage(message: Json): Json {
  const parts = objects(message['content']);
  const [part] = parts;
  const isText =
    Array.isArray(message['content']) &&
    parts.length === 1 &&
    part?.['type'] === 'text' &&
    Object.keys(part).length === 2;
  return isText ? { ...message, content: part['text'] } : message;
}

function anthropicBlock(block: Json): Json {
  return block['type'] === 'tool_result' && 'content' in block
    ? { ...block, content: text('text', block['content']) }
    : block;
}

function anthropicBody(body: Json): Json {
  return {
    ...body,
    ...('system' in body ? { system: text('text', body['system']) } : {}),
    ...('messages' in body
      ? {
          messages: each(body['messages'], (message) => ({
            ...message,
            ...('content' in message
              ? { content: each(text('text', message['content']), anthropicBlock) }
              : {}),
          })),
        }
      : {}),
  };
}

function responsesItem(item: Json): Json {
  if (!('role' in item) || !('content' in item)) return item;
  const type = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  return { ...item, type: item['type'] ?? 'message', content: text(type, item['content']) };
}

const SPELLINGS: Spellings = {
  'openai-chat': (body) => ({
    ...body,
    ...('messages' in body ? { messages: each(body['messages'], chatMessage) } : {}),
  }),
  mistral: (body) => ({
    ...body,
    ...('messages' in body ? { messages: each(body['messages'], chatMessage) } : {}),
  }),
  'cohere-v2': (body) => ({
    ...body,
    ...('messages' in body ? { messages: each(body['messages'], chatMessage) } : {}),
  }),
  'anthropic-messages': anthropicBody,
  'openai-responses': (body) => ({
    ...body,
    ...('input' in body
      ? {
          input:
            typeof body['input'] === 'string'
              ? [{ type: 'message', role: 'user', content: text('input_text', body['input']) }]
              : each(body['input'], responsesItem),
        }
      : {}),
  }),
};

/** Returns a body in a canonical spelling, so that bodies of a dialect can be compared. */
export function normalised(dialect: string, body: unknown): unknown {
  const object = asObject(body);
  const spell = SPELLINGS[dialect];
  return object === null || spell === undefined ? body : spell(object);
}
