import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/**
 * Time in milliseconds after which a client is disconnected when it reads nothing, or when it falls
 * this far behind `RATE_MIN`.
 */
const STALLED_MS = 60_000;
/** Minimum read rate in bytes per millisecond: 64 KiB per second. */
const RATE_MIN = 65.536;

/**
 * Media types with only simple parameters, so that the text is a valid header value whatever a
 * caller has sent.
 */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?: ?; ?[\w-]{1,40}="?[\w.:/+-]{1,100}"?){0,4}$/;

/**
 * Returns the headers of a file that a browser saves and never renders, whatever its content type
 * is: an attacker may have written the content, and a rendered page would have this origin.
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

/** Disconnects a client that reads too slowly. Returns a function that stops the check. */
export function disconnectIfSlow(res: ServerResponse, bytes: number): () => void {
  res.on('error', () => undefined);
  res.setTimeout(STALLED_MS, () => res.destroy());
  const late = setTimeout(() => res.destroy(), STALLED_MS + bytes / RATE_MIN);
  return () => {
    clearTimeout(late);
  };
}
