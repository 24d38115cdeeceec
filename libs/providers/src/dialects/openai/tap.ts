import { asObject, asString } from '@gw/dialects';
import type { JsonObject, CreatedObject, StreamTap } from '../../provider';
import {
  eventObject,
  hasValue,
  SseTap,
  type TapDialect,
  type TapEvent,
  type TapState,
} from '../../stream/sse-tap';
import { openAiUsage, readOpenAiUsage } from './usage';

/** Last events of streams without `[DONE]`: responses, transcriptions, speech, images. */
const END_TYPES: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'transcript.text.done',
  'speech.audio.done',
  'image_generation.completed',
  'image_edit.completed',
]);
const FAILURE_TYPES: ReadonlySet<string> = new Set(['error', 'response.failed']);

/** Reads streams of OpenAI-compatible providers: chat, completions, responses, audio and images. */
export const openAiTapDialect: TapDialect = {
  // Each marker starts with a byte that is rare in chunks, because a search is as fast as its first
  // byte is rare.
  watches: (text, state) =>
    text.includes('[DONE]') ||
    hasValue(text, 'usage"') ||
    hasValue(text, '_reason"') ||
    (text.includes('rror') && reportsError(text)) ||
    (state.model === null && text.includes('model"')) ||
    text.includes('.completed"') ||
    text.includes('.done"') ||
    text.includes('.incomplete"') ||
    text.includes('.failed"'),

  apply(event, state) {
    if (event.data.trim() === '[DONE]') {
      state.complete = true;
      return;
    }
    const body = eventObject(event);
    if (body === null) {
      if (event.name === 'error') state.failed = true;
      return;
    }
    const response = asObject(body['response']);
    state.model ??= asString(body['model']) ?? asString(response?.['model']);
    state.made = createdObjectOf(response, body, state.made);
    state.usage = openAiUsage(body) ?? state.usage;
    state.finished = withFinished(state.finished, body['choices']);
    noteEnds(event, body, state);
  },

  applyOversized(head, usage, state) {
    const type = /"type"\s*:\s*"([a-z_.]+)"/.exec(head)?.[1] ?? '';
    if (END_TYPES.has(type)) state.complete = true;
    if (FAILURE_TYPES.has(type)) state.failed = true;
    const id = /"response"\s*:\s*\{\s*"id"\s*:\s*"([^"\\]+)"/.exec(head)?.[1];
    if (id !== undefined) state.made ??= { object: 'response', id, background: null };
    if (usage !== null) state.usage = readOpenAiUsage(usage) ?? state.usage;
  },
};

function noteEnds(event: TapEvent, body: JsonObject, state: TapState): void {
  const type = asString(body['type']) ?? event.name;
  if (END_TYPES.has(type)) state.complete = true;
  if (FAILURE_TYPES.has(type) || isFailure(event, body)) state.failed = true;
  if (endsPart(type, body)) state.partEnded = true;
}

/**
 * Whether the event ends a part of the output. The end of reasoning does not count, because the
 * output follows it.
 */
const endsPart = (type: string, { item }: JsonObject): boolean =>
  type.startsWith('response.') &&
  type.endsWith('.done') &&
  !type.includes('reasoning') &&
  asObject(item)?.['type'] !== 'reasoning';

function createdObjectOf(
  response: JsonObject | null,
  body: JsonObject,
  known: CreatedObject | null,
): CreatedObject | null {
  const isRun = body['object'] === 'thread.run';
  const reported = response ?? (isRun ? body : null);
  const id = asString(reported?.['id']);
  if (reported === null || id === null) return known;
  const { background } = reported;
  return {
    object: isRun ? 'thread.run' : 'response',
    id,
    background: typeof background === 'boolean' ? background : (known?.background ?? null),
  };
}

/** Maximum number of choices distinguished in one stream. */
const CHOICES_MAX = 1_024;

function withFinished(known: TapState['finished'], choices: unknown): TapState['finished'] {
  if (!Array.isArray(choices) || (known?.size ?? 0) >= CHOICES_MAX) return known;
  const ended = choices
    .map((choice) => asObject(choice))
    .filter((choice) => asString(choice?.['finish_reason']) !== null)
    .map((choice) => indexOf(choice?.['index']));
  return ended.length === 0 ? known : new Set([...(known ?? []), ...ended]);
}

const indexOf = (index: unknown): number => (typeof index === 'number' ? index : 0);

const reportsError = (text: string): boolean =>
  hasValue(text, '"error"') || /^event: ?error/m.test(text) || text.includes('"type":"error"');

/** Returns whether an event reports a failure. Mistral sends errors with `object: error`. */
const isFailure = (event: TapEvent, body: JsonObject): boolean =>
  event.name === 'error' ||
  body['object'] === 'error' ||
  (body['error'] !== undefined && body['error'] !== null);

export const openAiTap = (): StreamTap => new SseTap(openAiTapDialect);
