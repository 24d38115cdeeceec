import type { CacheMark, Extensions, JsonObject, MediaPart, Part } from '../call';
import { invalid } from '../losses';
import { dataUrl, isPlainDataUrl, mediaType, parseDataUrl } from '../values/data-url';
import { asObject, compact, isAbsent, optional, read, required } from '../values/json';

interface Marked {
  readonly cache?: CacheMark;
  readonly x?: Extensions;
}

/**
 * Reads `cache_control` (the extension that Anthropic's dialect has) and `prompt_cache_breakpoint`.
 */
export function cacheMark(item: JsonObject): Marked {
  const { cache_control: control, prompt_cache_breakpoint: breakpoint } = item;
  const ttl = asObject(control)?.['ttl'];
  if (asObject(control) === null && isAbsent(breakpoint)) return {};
  return {
    cache: ttl === '5m' || ttl === '1h' ? { ttl } : {},
    x: { 'openai-chat': compact({ cache_control: control, prompt_cache_breakpoint: breakpoint }) },
  };
}

/** Decodes the content of a message: a text, or a list of parts. Absent content has no parts. */
export function decodeContent(content: unknown, path: string): Part[] {
  if (isAbsent(content)) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content, at: path }];
  if (!Array.isArray(content)) throw invalid(path, 'The content must be a string or a list of parts.');
  return content.map((item: unknown, index) => {
    const at = `${path}.${String(index)}`;
    const part = required(read.object(item, at), at, 'an object with a type');
    return { ...decodePart(part, at), ...cacheMark(part) };
  });
}

type PartDecoder = (part: JsonObject, at: string) => Part;

const DECODERS: Readonly<Record<string, PartDecoder>> = {
  text: (part, at) => ({
    kind: 'text',
    text: required(read.string(part['text'], `${at}.text`), `${at}.text`, 'a string'),
    at,
  }),
  refusal: (part, at) => ({ kind: 'refusal', text: read.string(part['refusal'], `${at}.refusal`) ?? '', at }),
  image_url: decodeImage,
  input_audio: decodeAudio,
  file: decodeFile,
  video_url: (part, at) => {
    const url = asObject(part['video_url'])?.['url'];
    return media(
      'video',
      required(read.string(url, `${at}.video_url.url`), `${at}.video_url.url`, 'a URL'),
      at,
    );
  },
};

function decodePart(part: JsonObject, at: string): Part {
  const type = read.string(part['type'], `${at}.type`) ?? 'text';
  const decode = Object.hasOwn(DECODERS, type) ? DECODERS[type] : undefined;
  return decode === undefined ? { kind: 'opaque', dialect: 'openai-chat', data: part, at } : decode(part, at);
}

function media(kind: MediaPart['media'], url: string, at: string, fallbackMime?: string): MediaPart {
  const data = parseDataUrl(url);
  return data === null
    ? { kind: 'media', media: kind, source: { at: 'url', url }, at, ...optional('mime', fallbackMime) }
    : { kind: 'media', media: kind, mime: data.mime, source: { at: 'base64', data: data.data }, at };
}

function decodeImage(part: JsonObject, at: string): Part {
  const image = part['image_url'];
  const path = `${at}.image_url.url`;
  const url = required(
    read.string(typeof image === 'string' ? image : asObject(image)?.['url'], path),
    path,
    'a URL',
  );
  const { detail } = asObject(image) ?? {};
  const isDetail = detail === 'low' || detail === 'high' || detail === 'original' || detail === 'auto';
  return { ...media('image', url, at), ...(isDetail ? { detail } : {}) };
}

/** Media types of the formats that `input_audio` names. */
const AUDIO_MIME: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
]);

function decodeAudio(part: JsonObject, at: string): Part {
  const audio = required(
    read.object(part['input_audio'], `${at}.input_audio`),
    `${at}.input_audio`,
    'an object',
  );
  const data = required(
    read.string(audio['data'], `${at}.input_audio.data`),
    `${at}.input_audio.data`,
    'base64',
  );
  const format = read.string(audio['format'], `${at}.input_audio.format`) ?? 'wav';
  return {
    kind: 'media',
    media: 'audio',
    mime: AUDIO_MIME.get(format) ?? `audio/${format}`,
    source: { at: 'base64', data },
    at,
  };
}

const NO_BASE64 = 'The data URL must have base64.';

function decodeFile(part: JsonObject, at: string): Part {
  const file = required(read.object(part['file'], `${at}.file`), `${at}.file`, 'an object');
  const name = read.string(file['filename'], `${at}.file.filename`);
  const id = read.string(file['file_id'], `${at}.file.file_id`);
  if (id !== undefined) {
    const source = { at: 'file', id, owner: 'openai-chat' } as const;
    return { kind: 'media', media: 'document', source, at, ...optional('name', name) };
  }
  const path = `${at}.file.file_data`;
  const found = required(read.string(file['file_data'], path), path, 'a data URL');
  if (isPlainDataUrl(found)) throw invalid(path, NO_BASE64);
  const data = parseDataUrl(found);
  return {
    kind: 'media',
    media: 'document',
    mime: data?.mime ?? 'application/pdf',
    source: { at: 'base64', data: data?.data ?? found },
    at,
    ...optional('name', name),
  };
}

/** Writes base64 media as the data URL of this dialect. */
export const asDataUrl = (mime: string, data: string): string => dataUrl(mediaType(mime), data);
