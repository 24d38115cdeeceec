import type { FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The body as it was before it was compressed. The route's bound counts what comes out, so that no small body becomes a large one. */
export function inflated(request: FastifyRequest, payload: Readable): Readable {
  if (request.headers['content-encoding']?.toLowerCase() !== 'gzip') return payload;
  const plain = Object.assign(createGunzip(), { receivedEncodedLength: 0 });
  payload.on('data', (piece: Buffer) => (plain.receivedEncodedLength += piece.length));
  payload.on('error', (error) => plain.destroy(error));
  payload.pipe(plain);
  return plain;
}
