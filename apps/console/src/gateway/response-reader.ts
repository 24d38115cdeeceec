import { isJson, listOf, textOf, type Json } from '../ui/body/conversation';

/** APIs that the playground can call; `raw` stands for any path. */
export type GatewayApi =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'completions'
  | 'embeddings'
  | 'moderations'
  | 'images'
  | 'speech'
  | 'transcriptions'
  | 'translations'
  | 'raw';

/** Path below the base URL, by API. */
export const API_PATHS: Readonly<Record<GatewayApi, string>> = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
  completions: '/completions',
  embeddings: '/embeddings',
  moderations: '/moderations',
  images: '/images/generations',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
  raw: '/',
};

/** Content of one event of a stream, or of a whole response. */
export interface ResponsePart {
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Message of an error event within a stream that started successfully. */
  readonly error: string | null;
}

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

function usageOf(value: unknown): Pick<ResponsePart, 'inputTokens' | 'outputTokens'> {
  const usage = isJson(value) ? value : {};
  return {
    inputTokens: countOf(usage['prompt_tokens']) ?? countOf(usage['input_tokens']),
    outputTokens: countOf(usage['completion_tokens']) ?? countOf(usage['output_tokens']),
  };
}

/** Returns the text of a content, which is a string or a list of parts. */
const textsOf = (content: unknown): string =>
  textOf(content) ??
  listOf(content)
    .map((part) => (isJson(part) ? (textOf(part['text']) ?? '') : ''))
    .join('');

/** Formats tool calls as text, because they are part of the response. */
const callsOf = (value: unknown): string =>
  listOf(value)
    .map((call) => (isJson(call) && isJson(call['function']) ? call['function'] : {}))
    .map(({ name, arguments: input }) => `${textOf(name) ?? ''}${textOf(input) ?? ''}`)
    .join('');

function chatText(event: Json): string {
  const [choice] = listOf(event['choices']).filter(isJson);
  const message = choice?.['delta'] ?? choice?.['message'];
  return isJson(message) ? textsOf(message['content']) + callsOf(message['tool_calls']) : '';
}

function responsesText(event: Json): string {
  if (event['type'] === 'response.output_text.delta') return textOf(event['delta']) ?? '';
  return listOf(event['output'])
    .map((item) => (isJson(item) ? textsOf(item['content']) : ''))
    .join('');
}

function messagesText(event: Json): string {
  if (event['type'] === 'content_block_delta' && isJson(event['delta']))
    return textOf(event['delta']['text']) ?? textOf(event['delta']['partial_json']) ?? '';
  return event['type'] === 'message' ? textsOf(event['content']) : '';
}

function completionsText(event: Json): string {
  const [choice] = listOf(event['choices']).filter(isJson);
  return textOf(choice?.['text']) ?? '';
}

const transcribedText = (event: Json): string => textOf(event['text']) ?? '';

/** Readers of the APIs that respond with text; responses of other APIs are shown unchanged. */
const READERS: Readonly<Partial<Record<GatewayApi, (event: Json) => string>>> = {
  chat: chatText,
  responses: responsesText,
  messages: messagesText,
  completions: completionsText,
  transcriptions: transcribedText,
  translations: transcribedText,
};

export const isTextApi = (api: GatewayApi): boolean => READERS[api] !== undefined;

/** Whether the request of the API is a form with a recording. */
export const isRecordingApi = (api: GatewayApi): boolean =>
  api === 'transcriptions' || api === 'translations';

/** Whether the API generates text and takes a temperature and a maximum number of tokens. */
export const generatesText = (api: GatewayApi): boolean => isTextApi(api) && !isRecordingApi(api);

/** Finds the usage of an event: in the event itself, its `response` or its `message`. */
function usagePlaceOf(event: Json): unknown {
  for (const place of [event, event['response'], event['message']])
    if (isJson(place) && isJson(place['usage'])) return place['usage'];
  return null;
}

/** Reads the parsed JSON of a `data:` field, or of a whole response. */
export function readResponsePart(api: GatewayApi, event: unknown): ResponsePart {
  // Transcripts can be plain text, depending on `response_format`.
  const plain = isRecordingApi(api) ? (textOf(event) ?? '') : '';
  if (!isJson(event)) return { text: plain, inputTokens: null, outputTokens: null, error: null };
  const { response } = event;
  const failed = event['error'] ?? (isJson(response) ? response['error'] : undefined);
  return {
    text: READERS[api]?.(event) ?? '',
    ...usageOf(usagePlaceOf(event)),
    error: isJson(failed) ? (textOf(failed['message']) ?? JSON.stringify(failed)) : null,
  };
}
