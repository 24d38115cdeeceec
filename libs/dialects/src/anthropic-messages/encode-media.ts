import { partPath, type JsonObject, type MediaPart, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import { compact } from '../values/json';
import { DIALECT, own } from './paths';

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const PDF = 'application/pdf';

/**
 * Encodes an image or a document; null when Anthropic has no such part; the call is then refused.
 */
export function encodeMedia(part: MediaPart, call: ModelCall, losses: LossLedger): JsonObject | null {
  switch (part.media) {
    case 'image':
      return image(part, call, losses);
    case 'document':
      return document(part, call, losses);
    case 'audio':
    case 'video':
      losses.refuse(part.at ?? partPath(call, part, part.media), `Anthropic takes no ${part.media}.`);
      return null;
  }
}

function image(part: MediaPart, call: ModelCall, losses: LossLedger): JsonObject | null {
  const source = imageSource(part);
  if (typeof source === 'string') {
    losses.refuse(partPath(call, part, 'image'), source);
    return null;
  }
  if (part.detail !== undefined && part.detail !== 'auto') losses.note(partPath(call, part, 'detail'));
  return { type: 'image', source, ...own(part) };
}

/**
 * Returns the source of an image; an error message when Anthropic does not accept such a source.
 */
function imageSource({ source, mime = '' }: MediaPart): JsonObject | string {
  switch (source.at) {
    case 'base64':
      return IMAGE_TYPES.has(mime)
        ? { type: 'base64', media_type: mime, data: source.data }
        : `Anthropic takes images of the types ${[...IMAGE_TYPES].join(', ')} only.`;
    case 'url':
      return isWeb(source.url)
        ? { type: 'url', url: source.url }
        : 'Anthropic takes images by http and https URL, or as base64.';
    case 'file':
      return fileSource(source);
    case 'text':
      return 'An image cannot be a text.';
  }
}

function document(part: MediaPart, call: ModelCall, losses: LossLedger): JsonObject | null {
  const source = own(part)?.['source'] ?? documentSource(part);
  if (typeof source === 'string') {
    losses.refuse(partPath(call, part, 'document'), source);
    return null;
  }
  const { title, name, context, citations } = part;
  return compact({
    type: 'document',
    source,
    title: title ?? name,
    context,
    citations: citations === undefined ? undefined : { enabled: citations },
    ...own(part),
  });
}

function documentSource({ source, mime }: MediaPart): JsonObject | string {
  switch (source.at) {
    case 'base64':
      if (mime === PDF) return { type: 'base64', media_type: PDF, data: source.data };
      return mime?.startsWith('text/') === true
        ? textSource(Buffer.from(source.data, 'base64').toString('utf8'))
        : 'Anthropic takes documents of the types application/pdf and text/plain only.';
    case 'url':
      return isWeb(source.url) && (mime === undefined || mime === PDF)
        ? { type: 'url', url: source.url }
        : 'Anthropic takes PDF documents only by http and https URL.';
    case 'file':
      return fileSource(source);
    case 'text':
      return textSource(source.text);
  }
}

const textSource = (data: string): JsonObject => ({ type: 'text', media_type: 'text/plain', data });

const fileSource = ({ id, owner }: { readonly id: string; readonly owner: string }): JsonObject | string =>
  owner === DIALECT
    ? { type: 'file', file_id: id }
    : 'The file belongs to another provider; send its content instead.';

const isWeb = (url: string): boolean => /^https?:\/\//i.test(url);
