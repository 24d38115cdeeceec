import type { MediaPart } from '../call';

const EXTENSIONS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  bmp: 'image/bmp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  mov: 'video/mov',
  webm: 'video/webm',
  mpeg: 'video/mpeg',
};

/**
 * Returns the media type of a part, which Gemini requires: the client's, that of the name, or the
 * usual one of images; null if none is known.
 */
export function mimeOf(part: MediaPart): string | null {
  if (part.mime !== undefined) return part.mime;
  const named =
    (part.source.at === 'url' ? typeOfName(part.source.url) : null) ?? typeOfName(part.name ?? '');
  if (named !== null) return named;
  if (part.source.at === 'text') return 'text/plain';
  if (part.source.at === 'file') return 'application/octet-stream';
  return part.media === 'image' ? 'image/jpeg' : null;
}

function typeOfName(name: string): string | null {
  const path = name.slice(0, 2_048).replace(/[?#].*$/s, '');
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(EXTENSIONS, extension) ? (EXTENSIONS[extension] ?? null) : null;
}

/** Characters of other spellings of base64. */
const ODD = ['-', '_', '\n', '\r', ' ', '\t'];

/**
 * Returns base64 in the standard alphabet and on one line, as Google requires; usually the same
 * string.
 */
export function plainBase64(data: string): string {
  if (!ODD.some((character) => data.includes(character))) return data;
  return data.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
}
