import type { MediaPart } from '../call';

/** Returns the text of a document that is text; null for any other document. */
export function documentText({ source, mime }: MediaPart): string | null {
  if (source.at === 'text') return source.text;
  if (source.at !== 'base64' || mime?.startsWith('text/') !== true) return null;
  return Buffer.from(source.data, 'base64').toString('utf8');
}
