import { ALWAYS, FORM, route, type RouteRow } from '../route-rows';

/** Speech from text, and text from speech. */
export const audio: readonly RouteRow[] = [
  route('POST', '/audio/speech', 'audio.speech', 'audio.speech', 'Convert text to speech', {
    ...ALWAYS,
    bytes: true,
  }),
  route(
    'POST',
    '/audio/transcriptions',
    'audio.transcriptions',
    'audio.transcriptions',
    'Transcribe a recording',
    { ...FORM, ...ALWAYS, streams: true },
  ),
  route(
    'POST',
    '/audio/translations',
    'audio.translations',
    'audio.translations',
    'Translate a recording into English',
    { ...FORM, ...ALWAYS },
  ),
];
