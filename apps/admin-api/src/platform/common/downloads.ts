import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/**
 * A client is disconnected after this time without reading, or when it is this much behind `RATE_MIN`, in milliseconds.
 */
const STALLED_MS = 60_000;
/** Minimum read rate in bytes per millisecond: 64 KiB per second. */
const RATE_MIN = 65.536;

/** Without parameters other than plain ones, so that it is a header value whatever a caller has sent. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?: ?; ?[\w-]{1,40}="?[\w.:/+-]{1,100}"?){0,4}$/;

/**
 * Headers of a file that a browser saves and never renders, whatever its content type is: the content may be of an
 * attacker, and the page would be one of this origin.
 */
export function downloadHeaders({
  filename,
  contentType,
}: {
  readonly filename: string;
  readonly contentType: string;
}): OutgoingHttpHeaders {
  return {
    'content-type': MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream',
    'content-disposition': `attachment; filename="${filename}"`,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
}

/** Disconnects a client that reads too slowly. Returns a function that ends the check. */
export function disconnectIfSlow(res: ServerResponse, bytes: number): () => void {
  res.on('error', () => undefined);
  res.setTimeout(STALLED_MS, () => res.destroy());
  const late = setTimeout(() => res.destroy(), STALLED_MS + bytes / RATE_MIN);
  return () => {
    clearTimeout(late);
  };
}
