import { asObject, asString } from '@gw/dialects';
import type { DroppedParams } from '../../losses';
import type { JsonObject } from '../../provider';
import { refuse } from './refuse';

const DATA_URL = /^data:([a-z0-9.+/-]+)(?:;[a-z0-9=.-]+)*;base64,/i;
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Translates the content of a chat message to Anthropic blocks; null and empty text give none. */
export function toBlocks(content: unknown, path: string, losses: DroppedParams): JsonObject[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw refuse(path, 'The content must be a string or a list of parts.');
  return content.map((item: unknown, index) => {
    const part = asObject(item);
    const at = `${path}.${String(index)}`;
    if (part === null) throw refuse(at, 'A part must be an object.');
    return withCacheControl(toBlock(part, at, losses), part);
  });
}

/**
 * Translates one part. Anthropic's own parts (`image`, `document`, `search_result`, …) pass through
 * unchanged.
 */
function toBlock(part: JsonObject, path: string, losses: DroppedParams): JsonObject {
  switch (part['type']) {
    case 'text':
      return part;
    case 'refusal':
      return { type: 'text', text: part['refusal'] };
    case 'image_url':
      return image(part, path, losses);
    case 'file':
      return document(asObject(part['file']) ?? {}, `${path}.file`);
    case 'input_audio':
      throw refuse(path, 'Anthropic does not accept audio; remove the part.');
    default:
      if (typeof part['type'] === 'string') return part;
      throw refuse(`${path}.type`, 'A part must have a type.');
  }
}

const withCacheControl = (block: JsonObject, part: JsonObject): JsonObject =>
  part['cache_control'] === undefined ? block : { ...block, cache_control: part['cache_control'] };

/** Translates an image. `detail` has no equivalent; dropping `auto`, its default, loses nothing. */
function image(part: JsonObject, path: string, losses: DroppedParams): JsonObject {
  const given = asObject(part['image_url']);
  const url = asString(given?.['url'] ?? part['image_url']);
  const at = `${path}.image_url.url`;
  if (url === null) throw refuse(at, 'An image must have a url.');
  const detail = given?.['detail'] ?? 'auto';
  if (detail !== 'auto')
    losses.leaveOut(`${path}.image_url.detail`, 'Anthropic has no image detail except auto.');
  if (/^https?:\/\//i.test(url)) return { type: 'image', source: { type: 'url', url } };
  const data = readDataUrl(url);
  if (data === null) throw refuse(at, 'The url must be an http or https URL, or a base64 data URL.');
  if (IMAGE_TYPES.has(data.mediaType)) return { type: 'image', source: base64(data) };
  throw refuse(at, `Anthropic accepts only images of the types ${[...IMAGE_TYPES].join(', ')}.`);
}

/** Translates a PDF or plain text given as a data URL, or a file that was uploaded to Anthropic. */
function document(file: JsonObject, path: string): JsonObject {
  const title = asString(file['filename']);
  const named = title === null ? {} : { title };
  const id = asString(file['file_id']);
  if (id !== null) return { type: 'document', source: { type: 'file', file_id: id }, ...named };
  const data = readDataUrl(asString(file['file_data']) ?? '');
  if (data?.mediaType === 'application/pdf') return { type: 'document', source: base64(data), ...named };
  if (data?.mediaType === 'text/plain') {
    const text = Buffer.from(data.data, 'base64').toString('utf8');
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...named };
  }
  throw refuse(
    path,
    'Anthropic accepts a file_id, or file_data as a base64 data URL of a PDF or a plain text.',
  );
}

interface Data {
  readonly mediaType: string;
  readonly data: string;
}

const base64 = ({ mediaType, data }: Data): JsonObject => ({ type: 'base64', media_type: mediaType, data });

function readDataUrl(url: string): Data | null {
  const match = DATA_URL.exec(url);
  return match?.[1] === undefined
    ? null
    : { mediaType: match[1].toLowerCase(), data: url.slice(match[0].length) };
}
