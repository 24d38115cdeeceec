import { isObject } from '@gw/kernel';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { JsonRefusal, parseBounded, type JsonBounds } from '../bounded-json';
import type { Members } from '../shapes/members';
import { refused } from './card-request';

/** Bounds of a card: 1 MiB of decoded body, 64 levels, 100,000 members and items. */
export const CARD_BOUNDS: JsonBounds = { bytesMax: 1_048_576, depthMax: 64, commasMax: 100_000 };

const DECODERS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** Content codings that a request for a card accepts. */
export const CARD_ENCODINGS = 'gzip, deflate, br';

/**
 * Reads the body of a card's response: a JSON object in UTF-8 within `CARD_BOUNDS`, without
 * duplicate members. Decoding stops at the bound, so that a small body cannot expand without limit.
 * `body` holds the received bytes; callers need to read at most one byte more than the bound.
 * Throws `GatewayError` `validation_failed`.
 */
export function readCardBody(body: Buffer, contentEncoding: string | null): Members {
  const card = parsed(decoded(body, contentEncoding));
  if (!isObject(card)) throw refused('agent_card', 'must be a JSON object');
  return card;
}

function decoded(body: Buffer, contentEncoding: string | null): Buffer {
  const coding = (contentEncoding ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  const decode = DECODERS.get(coding);
  if (decode === undefined)
    throw refused('agent_card', `must be encoded as ${CARD_ENCODINGS}, or not at all`);
  try {
    return decode(body, { maxOutputLength: CARD_BOUNDS.bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw refused('agent_card', `has a body that is no ${coding}`);
  }
}

const tooLarge = (): Error =>
  refused('agent_card', `must have at most ${String(CARD_BOUNDS.bytesMax)} bytes`);

function parsed(bytes: Buffer): unknown {
  try {
    return parseBounded(bytes, CARD_BOUNDS);
  } catch (error) {
    if (error instanceof JsonRefusal) throw refused('agent_card', `cannot be read. ${error.message}`);
    throw error;
  }
}
