import { foldChat } from './fold-chat';
import { foldGemini } from './fold-gemini';
import { foldMessages } from './fold-messages';
import { object, type Json } from './json-values';

/** Reads a client's stream as the official SDK of its dialect accumulates it. */

export interface ReadStream {
  /** Types of the events in order, without pings; chunks of a dialect without types are `chunk`. */
  readonly types: string[];
  readonly events: Json[];
  readonly folded: Json;
  readonly error: Json | null;
  /** `[DONE]`, `message_stop`, `error`, or the type of the last event. */
  readonly end: string;
}

export function readStream(dialect: string, text: string): ReadStream {
  const lines = text.split(/\r?\n\r?\n/).filter((event) => event.trim() !== '' && !event.startsWith(':'));
  const datas = lines.map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n'),
  );
  const isDone = datas.at(-1) === '[DONE]';
  const events = datas
    .filter((data) => data !== '[DONE]' && data !== '')
    .map((data) => JSON.parse(data) as Json);
  const shown = events.filter((event) => event['type'] !== 'ping');
  const error =
    shown.find(
      (event) => (event['error'] !== undefined && event['error'] !== null) || event['type'] === 'error',
    ) ?? null;
  const failed = shown.find((event) => event['type'] === 'response.failed') ?? null;
  const types = shown.map((event) => (typeof event['type'] === 'string' ? event['type'] : 'chunk'));
  const errorBody =
    error === null ? failedResponse(failed) : error['type'] === 'error' ? error : object(error['error']);
  return {
    types,
    events: shown,
    folded: FOLDS[dialect]?.(shown) ?? {},
    error: errorBody,
    end: isDone ? '[DONE]' : errorBody === null ? (types.at(-1) ?? '') : 'error',
  };
}

const failedResponse = (failed: Json | null): Json | null =>
  failed === null ? null : object(object(failed['response'])['error']);

function foldResponses(events: readonly Json[]): Json {
  const last = [...events].reverse().find((event) => event['response'] !== undefined);
  return object(last?.['response'] ?? {});
}

const FOLDS: Readonly<Record<string, (events: readonly Json[]) => Json>> = {
  'openai-chat': foldChat,
  'anthropic-messages': foldMessages,
  'openai-responses': foldResponses,
  gemini: foldGemini,
};
