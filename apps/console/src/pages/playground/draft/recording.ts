import { playground as text } from '../../../messages';
import { bytes } from '../../../ui/format';

/** Bytes of a recording: what most providers take. */
export const RECORDING_MAX = 25_000_000;
/** Videos are taken for their sound. Some systems know no type of a file, so its ending counts, too. */
export const RECORDED_TYPES = 'audio/*,video/mp4,video/webm,video/mpeg,.mp3,.m4a,.wav,.flac,.ogg,.opus,.webm';
const TYPE = /^(?:audio\/|video\/(?:mp4|webm|mpeg)$)/;

/** Why a file cannot be sent as a recording, as a sentence; null: it can. */
export function recordingFault({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): string | null {
  if (size === 0) return text.recordingEmpty(name);
  if (size > RECORDING_MAX) return text.recordingLarge(name, bytes(size), bytes(RECORDING_MAX));
  // A file of an unknown type is left to the provider.
  return type === '' || TYPE.test(type) ? null : text.recordingType(name, type);
}
