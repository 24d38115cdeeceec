import type { FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/**
 * Decompresses a body. The route's bound applies to the output, so that a small body cannot become
 * a large one.
 */
export function inflated(request: FastifyRequest, payload: Readable): Readable {
  if (request.headers['content-encoding']?.toLowerCase() !== 'gzip') return payload;
  const plain = Object.assign(createGunzip(), { receivedEncodedLength: 0 });
  payload.on('data', (piece: Buffer) => (plain.receivedEncodedLength += piece.length));
  payload.on('error', (error) => plain.destroy(error));
  payload.pipe(plain);
  return plain;
}
