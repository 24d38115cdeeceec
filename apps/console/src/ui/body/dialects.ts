import {
  isJson,
  listOf,
  mediaOf,
  message,
  parsed,
  textOf,
  textParts,
  type Dialect,
  type Json,
  type Message,
  type Part,
} from './conversation';

/** Reads the messages of a dialect. Unknown shapes become parts of kind `other`. */
export interface DialectReader {
  readonly request: (body: Json) => readonly Message[];
  readonly response: (body: Json) => readonly Message[];
}

/** Reads a message part of chat, responses or messages, whose type names do not collide. */
function partOf(value: unknown): readonly Part[] {
  if (typeof value === 'string') return textParts(value);
  if (!isJson(value)) return [{ kind: 'other', value }];
  const type = textOf(value['type']) ?? '';
  const read = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
  return read?.(value) ?? [{ kind: 'other', value }];
}

const partsOf = (content: unknown): readonly Part[] =>
  content === null || content === undefined
    ? []
    : Array.isArray(content)
      ? (content as unknown[]).flatMap(partOf)
      : partOf(content);

const text = (value: Json): readonly Part[] => textParts(value['text']);
const call = (value: Json, name: unknown, id: unknown, input: unknown): readonly Part[] => [
  {
    kind: 'tool_call',
    name: textOf(name) ?? textOf(value['type']) ?? '',
    id: textOf(id),
    input: parsed(input),
  },
];

function urlPart(value: unknown, type: string): readonly Part[] | null {
  const url = textOf(value) ?? (isJson(value) ? textOf(value['url']) : null);
  return url === null ? null : [mediaOf(url, type)];
}

/** Reads the `source` of a messages part: base64, a URL or text. */
function sourcePart(value: Json): readonly Part[] | null {
  const source = value['source'];
  if (!isJson(source)) return null;
  const type = textOf(source['media_type']) ?? '*/*';
  if (source['type'] === 'base64')
    return [{ kind: 'media', type, base64: textOf(source['data']) ?? '', url: null }];
  if (source['type'] === 'text') return textParts(source['data']);
  return urlPart(source, type);
}

const PARTS: Readonly<Record<string, (value: Json) => readonly Part[] | null>> = {
  text,
  input_text: text,
  output_text: text,
  summary_text: text,
  reasoning_text: text,
  refusal: (value) => [{ kind: 'refusal', text: textOf(value['refusal']) ?? '' }],
  image_url: (value) => urlPart(value['image_url'], 'image/*'),
  input_image: (value) => urlPart(value['image_url'], 'image/*'),
  image: sourcePart,
  document: sourcePart,
  input_audio: (value) => {
    const audio = value['input_audio'];
    if (!isJson(audio)) return null;
    return [
      {
        kind: 'media',
        type: `audio/${textOf(audio['format']) ?? 'wav'}`,
        base64: textOf(audio['data']) ?? '',
        url: null,
      },
    ];
  },
  thinking: (value) => [{ kind: 'reasoning', text: textOf(value['thinking']) ?? '' }],
  tool_use: (value) => call(value, value['name'], value['id'], value['input']),
  server_tool_use: (value) => call(value, value['name'], value['id'], value['input']),
  tool_result: (value) => [
    { kind: 'tool_result', id: textOf(value['tool_use_id']), parts: partsOf(value['content']) },
  ],
  function_call: (value) => call(value, value['name'], value['call_id'], value['arguments']),
  custom_tool_call: (value) => call(value, value['name'], value['call_id'], value['input']),
  function_call_output: (value) => [
    { kind: 'tool_result', id: textOf(value['call_id']), parts: partsOf(value['output']) },
  ],
  reasoning: (value) => {
    const words = [...listOf(value['summary']), ...listOf(value['content'])].map((one) =>
      isJson(one) ? textOf(one['text']) : null,
    );
    return [{ kind: 'reasoning', text: words.filter((one) => one !== null).join('\n\n') }];
  },
};

function chatMessage(value: unknown, finish: unknown = null): readonly Message[] {
  if (!isJson(value)) return [];
  const role = textOf(value['role']) ?? 'assistant';
  const reasoning = textOf(value['reasoning_content']) ?? textOf(value['reasoning']);
  const calls = listOf(value['tool_calls']).flatMap((one): readonly Part[] => {
    const own = isJson(one) ? (one['function'] ?? one['custom']) : null;
    return isJson(one) && isJson(own)
      ? call(one, own['name'], one['id'], own['arguments'] ?? own['input'])
      : [{ kind: 'other', value: one }];
  });
  const content = partsOf(value['content']);
  const audio = value['audio'];
  const parts: readonly Part[] = [
    ...(reasoning === null || reasoning === '' ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
    ...(role === 'tool'
      ? [{ kind: 'tool_result' as const, id: textOf(value['tool_call_id']), parts: content }]
      : content),
    ...(textOf(value['refusal']) === null
      ? []
      : [{ kind: 'refusal' as const, text: textOf(value['refusal']) ?? '' }]),
    ...(isJson(audio) && typeof audio['data'] === 'string'
      ? [{ kind: 'media' as const, type: 'audio/wav', base64: audio['data'], url: null }]
      : []),
    ...calls,
  ];
  return [message(role, parts, finish)];
}

/**
 * Reads an item of responses. An item that is not a message becomes one with the role of its
 * author.
 */
function responseItem(value: unknown): readonly Message[] {
  if (typeof value === 'string') return [message('user', textParts(value))];
  if (!isJson(value)) return [];
  const isMessage = value['type'] === 'message' || 'role' in value;
  if (isMessage) return [message(textOf(value['role']) ?? 'user', partsOf(value['content']))];
  const role = String(value['type']).endsWith('_output') ? 'tool' : 'assistant';
  return [message(role, partOf(value))];
}

const itemsOf = (value: unknown): readonly Message[] =>
  typeof value === 'string' ? responseItem(value) : listOf(value).flatMap(responseItem);

function vector(value: unknown): Part {
  if (typeof value === 'string')
    return { kind: 'media', type: 'application/octet-stream', base64: value, url: null };
  const numbers = listOf(value).filter((one) => typeof one === 'number');
  return { kind: 'vector', size: numbers.length, beginning: numbers.slice(0, 8) };
}

const inputs = (value: unknown): readonly Message[] => {
  const several = Array.isArray(value) && value.some((one) => typeof one !== 'number');
  return (several ? listOf(value) : [value]).map((one) =>
    message('input', typeof one === 'string' ? textParts(one) : [{ kind: 'other', value: one }]),
  );
};

export const DIALECTS: Readonly<Record<Dialect, DialectReader>> = {
  chat: {
    request: (body) => listOf(body['messages']).flatMap((one) => chatMessage(one)),
    response: (body) =>
      listOf(body['choices']).flatMap((choice) =>
        isJson(choice) ? chatMessage(choice['message'], choice['finish_reason']) : [],
      ),
  },
  responses: {
    request: (body) => [
      ...(textOf(body['instructions']) === null ? [] : [message('system', textParts(body['instructions']))]),
      ...itemsOf(body['input']),
    ],
    response: (body) => itemsOf(body['output']),
  },
  messages: {
    request: (body) => [
      ...(body['system'] === undefined ? [] : [message('system', partsOf(body['system']))]),
      ...listOf(body['messages']).flatMap((one) =>
        isJson(one) ? [message(textOf(one['role']) ?? 'user', partsOf(one['content']))] : [],
      ),
    ],
    response: (body) => [
      message(textOf(body['role']) ?? 'assistant', partsOf(body['content']), body['stop_reason']),
    ],
  },
  completions: {
    request: (body) => inputs(body['prompt']),
    response: (body) =>
      listOf(body['choices']).flatMap((choice) =>
        isJson(choice) ? [message('completion', textParts(choice['text']), choice['finish_reason'])] : [],
      ),
  },
  embeddings: {
    request: (body) => inputs(body['input']),
    response: (body) =>
      listOf(body['data']).map((one) =>
        message('vector', isJson(one) ? [vector(one['embedding'])] : [{ kind: 'other', value: one }]),
      ),
  },
};
