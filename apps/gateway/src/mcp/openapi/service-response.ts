import { ERROR_BYTES_MAX, isSuccess, type OpenApiResponse } from '@gw/mcp';
import { tooLarge, UPSTREAM_BOUNDS, UpstreamError, type UpstreamHttpResponse } from '@gw/mcp-client';
import { codingOf, decode } from '../../attempt/decoding';

const { messageBytesMax } = UPSTREAM_BOUNDS;

/**
 * Reads the response of an HTTP service: 8 MiB of a success, and the first 8 KB of another one. A
 * compressed body is decoded within the same bounds. Throws an `UpstreamError`.
 */
export async function readServiceResponse(response: UpstreamHttpResponse): Promise<OpenApiResponse> {
  const { status, headers } = response;
  const retryAfter = headers.get('retry-after') ?? '';
  return {
    status,
    contentType: headers.get('content-type') ?? '',
    body: isSuccess(response) ? await whole(response) : await beginning(response),
    retryAfter: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null,
  };
}

async function whole({ headers, body }: UpstreamHttpResponse): Promise<Buffer> {
  const encoding = encodingOf(headers);
  const received = await body.whole(messageBytesMax);
  if (encoding === null || received.length === 0) return received;
  const coding = codingOf(encoding);
  const pieces: Buffer[] = [];
  if (coding === null) throw undecodable();
  const end = await decode([received], coding, messageBytesMax, (piece) => pieces.push(piece));
  if (end === 'whole') return Buffer.concat(pieces);
  throw end === 'too_large' ? tooLarge('The response', messageBytesMax) : undecodable();
}

/** Decoded bytes of an error, from which its beginning is taken. */
const DECODED_ERROR_MAX = 65_536;

/** The first bytes of a body, after which the connection is closed unless the body ended. */
async function beginning({ headers, body }: UpstreamHttpResponse): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length >= ERROR_BYTES_MAX) break;
  }
  const encoding = encodingOf(headers);
  if (encoding === null) return Buffer.concat(pieces).subarray(0, ERROR_BYTES_MAX);
  const coding = codingOf(encoding);
  const decoded: Buffer[] = [];
  if (coding !== null) await decode(pieces, coding, DECODED_ERROR_MAX, (piece) => decoded.push(piece));
  return Buffer.concat(decoded).subarray(0, ERROR_BYTES_MAX);
}

/** The coding of a body, which was not requested; null without one. */
function encodingOf(headers: UpstreamHttpResponse['headers']): string | null {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? null : encoding;
}

const undecodable = (): UpstreamError =>
  new UpstreamError('protocol', 'The response is compressed in a way that cannot be decoded.', {
    mayHaveExecuted: true,
  });
