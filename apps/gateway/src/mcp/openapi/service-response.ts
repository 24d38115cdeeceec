import { ERROR_BYTES_MAX, isSuccess, type OpenApiResponse } from '@gw/mcp';
import { UPSTREAM_BOUNDS, UpstreamError, type UpstreamHttpResponse } from '@gw/mcp-client';

const { messageBytesMax } = UPSTREAM_BOUNDS;

/**
 * Reads the response of an HTTP service: up to 8 MiB of a success, and the first 8 KB of an error.
 * A compressed body is decoded within the same bounds. Throws an `UpstreamError`.
 */
export async function readServiceResponse(response: UpstreamHttpResponse): Promise<OpenApiResponse> {
  const { status, headers } = response;
  const retryAfter = headers.get('retry-after') ?? '';
  return {
    status,
    contentType: headers.get('content-type') ?? '',
    body: isSuccess(response) ? await readWhole(response) : await readBeginning(response),
    retryAfter: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null,
  };
}

async function readWhole({ body, isPlain }: UpstreamHttpResponse): Promise<Buffer> {
  const received = await body.whole(messageBytesMax);
  if (isPlain || received.length === 0) return received;
  throw new UpstreamError('protocol', 'The response is compressed in a way that cannot be decoded.', {
    mayHaveExecuted: true,
  });
}

/**
 * Returns the first `ERROR_BYTES_MAX` bytes of a body. The connection is closed unless the body has
 * ended by then.
 */
async function readBeginning({ body, isPlain }: UpstreamHttpResponse): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      length += piece.length;
      if (length >= ERROR_BYTES_MAX) break;
    }
  } catch (error) {
    // The status is still valid when the body cannot be decoded.
    if (!(error instanceof UpstreamError) || error.kind !== 'protocol') throw error;
  }
  return isPlain ? Buffer.concat(pieces).subarray(0, ERROR_BYTES_MAX) : Buffer.alloc(0);
}
