import type { JsonObject, MediaPart, Part, Source } from '../call';
import { invalid } from '../losses';
import { isPlainDataUrl, mediaType, parseDataUrl } from '../values/data-url';
import { asObject, asString, membersBesides, read, required } from '../values/json';
import { decodeAnnotations } from './annotations';
import { DIALECT, withOwn, type Own } from './own';

const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'prompt_cache_breakpoint', 'annotations']),
  refusal: new Set(['type', 'refusal']),
  image: new Set(['type', 'image_url', 'file_id', 'detail', 'prompt_cache_breakpoint']),
  file: new Set([
    'type',
    'file_data',
    'file_id',
    'file_url',
    'filename',
    'detail',
    'prompt_cache_breakpoint',
  ]),
};

/** Media types of documents by the extension of their names. */
const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
};

/** Facts that all parts of one list share. */
export interface PartBaseOf {
  readonly own?: Own;
}

/** Decodes the `content` of a message, or the `output` of a tool: a text or a list of parts. */
export function decodeContent(content: unknown, path: string, base: PartBaseOf = {}): Part[] {
  if (typeof content === 'string') {
    return [{ kind: 'text', text: content, at: path, ...ownOfPart(base, undefined) }];
  }
  const items = required(read.objects(content, path), path, 'a text or a list of content parts');
  let textLength = 0;
  return items.map((item, index) => {
    const part = decodePart(item, `${path}.${String(index)}`, base, textLength);
    if (part.kind === 'text') textLength += part.text.length;
    return part;
  });
}

function decodePart(item: JsonObject, at: string, base: PartBaseOf, textLength: number): Part {
  const type = required(read.string(item['type'], `${at}.type`), `${at}.type`, 'the type of the part');
  const cache = isBreakpoint(item) ? ({ cache: {} } as const) : {};
  const rest = (kind: string): JsonObject | undefined => membersBesides(item, KNOWN[kind] ?? new Set());
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const citations = decodeAnnotations(item['annotations'], textLength);
      return {
        kind: 'text',
        text: required(read.string(item['text'], `${at}.text`), `${at}.text`, 'a text'),
        ...(citations.length === 0 ? {} : { citations }),
        ...cache,
        at,
        ...ownOfPart(base, textRest(item)),
      };
    }
    case 'refusal': {
      const text = required(read.string(item['refusal'], `${at}.refusal`), `${at}.refusal`, 'a text');
      return { kind: 'refusal', text, at, ...ownOfPart(base, rest('refusal')) };
    }
    case 'input_image':
      return { ...decodeImage(item, at), ...cache, at, ...ownOfPart(base, rest('image')) };
    case 'input_file': {
      const { isBare, ...file } = decodeFile(item, at);
      const own = { ...base.own, ...(isBare ? { isBare } : {}) };
      return { ...file, ...cache, at, ...ownOfPart({ own }, rest('file')) };
    }
    case 'input_audio':
      return { ...decodeAudio(item, at), at, ...ownOfPart(base, undefined) };
    default:
      return { kind: 'opaque', dialect: DIALECT, data: item, at, ...ownOfPart(base, undefined) };
  }
}

/**
 * Returns the other members of a text. An empty list of annotations has no meaning, but is written
 * back.
 */
const textRest = (item: JsonObject): JsonObject | undefined => {
  const rest = membersBesides(item, KNOWN['text'] ?? new Set());
  const { annotations } = item;
  return Array.isArray(annotations) && annotations.length === 0 ? { ...rest, annotations } : rest;
};

const isBreakpoint = (item: JsonObject): boolean => asObject(item['prompt_cache_breakpoint']) !== null;

const ownOfPart = ({ own }: PartBaseOf, rest: JsonObject | undefined): ReturnType<typeof withOwn> | object =>
  own === undefined && rest === undefined ? {} : withOwn({ ...own, ...(rest === undefined ? {} : { rest }) });

function decodeImage(item: JsonObject, at: string): MediaPart {
  const url = read.string(item['image_url'], `${at}.image_url`);
  const id = read.string(item['file_id'], `${at}.file_id`);
  const detail = read.string(item['detail'], `${at}.detail`);
  if (detail !== undefined && !isDetail(detail)) {
    throw invalid(`${at}.detail`, 'The detail must be low, high, auto or original.');
  }
  const base = { kind: 'media', media: 'image', ...(detail === undefined ? {} : { detail }) } as const;
  if (url !== undefined) return { ...base, ...sourceOfUrl(url) };
  if (id !== undefined) return { ...base, source: { at: 'file', id, owner: DIALECT } };
  throw invalid(at, 'An image needs image_url or file_id.');
}

const isDetail = (value: string): value is 'low' | 'high' | 'auto' | 'original' =>
  value === 'low' || value === 'high' || value === 'auto' || value === 'original';

function sourceOfUrl(url: string): { readonly mime?: string; readonly source: Source } {
  const inline = parseDataUrl(url);
  return inline === null
    ? { source: { at: 'url', url } }
    : { mime: inline.mime, source: { at: 'base64', data: inline.data } };
}

function decodeFile(item: JsonObject, at: string): MediaPart & { readonly isBare: boolean } {
  const data = read.string(item['file_data'], `${at}.file_data`);
  const url = read.string(item['file_url'], `${at}.file_url`);
  const id = read.string(item['file_id'], `${at}.file_id`);
  const name = read.string(item['filename'], `${at}.filename`);
  const detail = asString(item['detail']);
  const base = {
    kind: 'media',
    ...(name === undefined ? {} : { name }),
    ...(detail !== null && isDetail(detail) ? { detail } : {}),
  } as const;
  const mime = typeOfName(name ?? url ?? '');
  if (data !== undefined && isPlainDataUrl(data))
    throw invalid(`${at}.file_data`, 'The data URL must have base64.');
  if (data !== undefined) return { ...base, ...decodeFileData(data, mime) };
  const typed = {
    ...base,
    media: 'document',
    ...(mime === undefined ? {} : { mime }),
    isBare: false,
  } as const;
  if (url !== undefined) return { ...typed, source: { at: 'url', url } };
  if (id !== undefined) return { ...typed, source: { at: 'file', id, owner: DIALECT } };
  throw invalid(at, 'A file needs file_data, file_url or file_id.');
}

function decodeAudio(item: JsonObject, at: string): MediaPart {
  const path = `${at}.input_audio`;
  const audio = required(read.object(item['input_audio'], path), path, 'an object');
  const data = required(read.string(audio['data'], `${path}.data`), `${path}.data`, 'base64 text');
  const format = required(read.string(audio['format'], `${path}.format`), `${path}.format`, 'wav or mp3');
  return { kind: 'media', media: 'audio', mime: `audio/${format}`, source: { at: 'base64', data } };
}

/** Decodes a data URL, or base64 without a media type. */
function decodeFileData(
  data: string,
  mime = 'application/pdf',
): Pick<MediaPart, 'media' | 'mime' | 'source'> & { readonly isBare: boolean } {
  const inline = parseDataUrl(data);
  if (inline === null) {
    return { media: mediaOf(mime), mime, source: { at: 'base64', data }, isBare: true };
  }
  const type = mediaType(inline.mime);
  return { media: mediaOf(type), mime: type, source: { at: 'base64', data: inline.data }, isBare: false };
}

const mediaOf = (mime: string): MediaPart['media'] =>
  mime.startsWith('audio/') ? 'audio' : mime.startsWith('video/') ? 'video' : 'document';

/** Returns the media type for the extension of a file name or URL. */
function typeOfName(name: string): string | undefined {
  const end = name.search(/[?#]/);
  const path = end < 0 ? name : name.slice(0, end);
  return DOCUMENT_TYPES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}
