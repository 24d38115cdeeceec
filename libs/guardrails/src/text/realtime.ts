import { isObject } from '@gw/kernel';
import { type JsonObject } from '../json';
import { promptVariables, responsesItem, responsesItems, toolChoice, tools } from './items';
import type { PassageCollector } from './passages';

/** Events without text: audio, and references by id. */
const WITHOUT_TEXT =
  /^(?:input_audio_buffer\.|output_audio_buffer\.|response\.cancel$|conversation\.item\.(?:truncate|delete|retrieve)$)/;

/** Collects the texts of one event of a realtime session; all texts of an unknown event. */
export function realtimeEvent(collector: PassageCollector, event: JsonObject): void {
  const type = typeof event['type'] === 'string' ? event['type'] : '';
  const { session, response, item } = event;
  if (WITHOUT_TEXT.test(type)) return;
  if (type.endsWith('session.update') && isObject(session)) instructions(collector, session);
  else if (type === 'response.create') {
    if (isObject(response)) instructions(collector, response);
  } else if (type.startsWith('conversation.item.') && isObject(item) && typeof item['type'] === 'string')
    responsesItem(collector, item);
  else if (type === TRANSCRIBED) collector.take('user', event, 'transcript');
  else collector.walk('other', { event }, 'event');
}

/** Event with the transcript of what a user said. */
const TRANSCRIBED = 'conversation.item.input_audio_transcription.completed';

/** Collects the instructions of a session or a response, and a response's own conversation. */
function instructions(collector: PassageCollector, settings: JsonObject): void {
  tools(collector, settings);
  toolChoice(collector, settings);
  collector.take('system', settings, 'instructions');
  for (const holder of transcriptions(settings)) collector.take('system', holder, 'prompt');
  promptVariables(collector, settings['prompt']);
  collector.unit++;
  responsesItems(collector, settings['input']);
}

/** Yields the settings with transcription hints, in the older and the newer form. */
function* transcriptions(settings: JsonObject): Generator<JsonObject> {
  const older = settings['input_audio_transcription'];
  if (isObject(older)) yield older;
  const { audio } = settings;
  const input = isObject(audio) ? audio['input'] : null;
  const newer = isObject(input) ? input['transcription'] : null;
  if (isObject(newer)) yield newer;
}
