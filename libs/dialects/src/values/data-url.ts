/** Normalises a media type: lower case, without parameters, `image/jpg` as `image/jpeg`. */
export function mediaType(mime: string): string {
  const end = mime.indexOf(';');
  const type = (end < 0 ? mime : mime.slice(0, end)).trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}

/**
 * Splits a base64 data URL; null for any other URL. Reads only the head, because the data may have
 * megabytes.
 */
export function parseDataUrl(url: string): { readonly mime: string; readonly data: string } | null {
  if (!url.startsWith('data:')) return null;
  const comma = url.indexOf(',');
  if (comma < 0 || comma > 256) return null;
  const head = url.slice('data:'.length, comma);
  if (!head.toLowerCase().endsWith(';base64')) return null;
  return { mime: mediaType(head.slice(0, -';base64'.length)), data: url.slice(comma + 1) };
}

export const dataUrl = (mime: string, data: string): string => `data:${mime};base64,${data}`;

/** Returns whether a text is a data URL whose data are not base64. */
export const isPlainDataUrl = (text: string): boolean =>
  text.startsWith('data:') && parseDataUrl(text) === null;
