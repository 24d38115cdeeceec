import { partPath, type JsonObject, type MediaPart, type ModelCall } from '../call';
import { plainBase64 } from '../gemini/media';
import type { LossLedger } from '../losses';
import { compact } from '../values/json';
import type { DocumentNames } from './document-names';
import type { BedrockModel } from './models';

/** Facts that the encoders of media share for one call. */
export interface MediaFacts {
  readonly call: ModelCall;
  readonly model: BedrockModel;
  readonly losses: LossLedger;
  readonly names: DocumentNames;
}

type Formats = Readonly<Record<string, string>>;

const IMAGES: Formats = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const DOCUMENTS: Formats = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};
const AUDIO: Formats = {
  'audio/mp3': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/opus': 'opus',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'mp4',
  'audio/m4a': 'm4a',
  'audio/ogg': 'ogg',
  'audio/webm': 'webm',
};
const VIDEOS: Formats = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/mov': 'mov',
  'video/x-matroska': 'mkv',
  'video/webm': 'webm',
  'video/x-flv': 'flv',
  'video/mpeg': 'mpeg',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': 'three_gp',
};
const FORMATS: Readonly<Record<MediaPart['media'], Formats>> = {
  image: IMAGES,
  document: DOCUMENTS,
  audio: AUDIO,
  video: VIDEOS,
};
/** Other spellings of the formats in names of files. */
const EXTENSIONS: Formats = { jpg: 'jpeg', markdown: 'md', htm: 'html', mpg: 'mpeg', '3gp': 'three_gp' };

/** Encodes media; null when Bedrock or the model has no such part, which is refused. */
export function encodeMedia(part: MediaPart, facts: MediaFacts): JsonObject | null {
  const { call, losses, model } = facts;
  const path = partPath(call, part, part.media);
  const isTaken = part.media === 'image' || part.media === 'document' || model.media.has(part.media);
  const source = isTaken ? sourceOf(part) : `The model takes no ${part.media}.`;
  const format = formatOf(part);
  if (typeof source === 'string' || format === null) {
    losses.refuse(path, typeof source === 'string' ? source : unknownFormat(part));
    return null;
  }
  noteHints(part, facts);
  return part.media === 'document'
    ? { document: document(part, format, source, facts) }
    : { [part.media]: { format, source } };
}

const unknownFormat = ({ media }: MediaPart): string =>
  `Bedrock takes a ${media} of these formats: ${[...new Set(Object.values(FORMATS[media]))].join(', ')}.`;

/** Returns the source; a message when Bedrock has no such source. */
function sourceOf({ source, media }: MediaPart): JsonObject | string {
  switch (source.at) {
    case 'base64':
      return { bytes: plainBase64(source.data) };
    case 'text':
      return media === 'document'
        ? { bytes: Buffer.from(source.text, 'utf8').toString('base64') }
        : `A text is no ${media}.`;
    case 'url':
      return source.url.startsWith('s3://')
        ? { s3Location: { uri: source.url } }
        : `Bedrock takes a ${media} as base64 or by s3:// address; it loads no other URL.`;
    case 'file':
      return 'Bedrock has no files by id; send the content instead.';
  }
}

/**
 * Returns the format by media type, else by the name of the file; null when it is not among
 * Bedrock's.
 */
function formatOf(part: MediaPart): string | null {
  const formats = FORMATS[part.media];
  const { mime = '', source, name = '' } = part;
  if (Object.hasOwn(formats, mime)) return formats[mime] ?? null;
  const named = (source.at === 'url' ? byName(source.url, formats) : null) ?? byName(name, formats);
  return named ?? (isPlainText(part) ? 'txt' : null);
}

const isPlainText = ({ media, mime, source }: MediaPart): boolean =>
  media === 'document' && (mime === undefined ? source.at === 'text' : mime.startsWith('text/'));

function byName(name: string, formats: Formats): string | null {
  const path = name.slice(0, 2_048);
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const format = Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : extension;
  return Object.values(formats).find((known) => known === format) ?? null;
}

function document(part: MediaPart, format: string, source: JsonObject, facts: MediaFacts): JsonObject {
  const { title, name, context, citations } = part;
  const given = facts.names.take(name ?? title);
  if (given.isMade)
    facts.losses.note(part.at ?? partPath(facts.call, part, 'document'), 'generated', given.name);
  const isClaude = facts.model.family === 'claude';
  return compact({
    format,
    name: given.name,
    source,
    context: isClaude ? context : undefined,
    citations: isClaude && citations === true ? { enabled: true } : undefined,
  });
}

function noteHints(part: MediaPart, { call, losses, model }: MediaFacts): void {
  const { detail, clip, context, citations } = part;
  if (detail !== undefined && detail !== 'auto') losses.note(partPath(call, part, 'detail'));
  if (clip !== undefined) losses.note(part.at ?? partPath(call, part, part.media));
  if (model.family === 'claude') return;
  if (context !== undefined) losses.note(partPath(call, part, 'title'));
  if (citations === true) losses.note(partPath(call, part, 'citations'));
}
