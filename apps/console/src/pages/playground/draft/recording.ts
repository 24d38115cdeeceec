import { playground as text } from '../../../messages';
import { bytes } from '../../../ui/format';

/** Maximum bytes of a recording, the limit of most providers. */
export const RECORDING_MAX = 25_000_000;
/**
 * Accepted types. Videos are accepted for their sound. File extensions are listed too, because some
 * systems report no type.
 */
export const RECORDED_TYPES = 'audio/*,video/mp4,video/webm,video/mpeg,.mp3,.m4a,.wav,.flac,.ogg,.opus,.webm';
const TYPE = /^(?:audio\/|video\/(?:mp4|webm|mpeg)$)/;

/** Returns why a file cannot be sent as a recording, as a sentence; null when it can. */
export function recordingFault({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): string | null {
  if (size === 0) return text.recordingEmpty(name);
  if (size > RECORDING_MAX) return text.recordingLarge(name, bytes(size), bytes(RECORDING_MAX));
  // The provider decides about a file of unknown type.
  return type === '' || TYPE.test(type) ? null : text.recordingType(name, type);
}
