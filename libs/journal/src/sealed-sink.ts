import { Buffer } from 'node:buffer';
import { isFrameStart } from './frame';
import type { LogSink } from './log-sink';
import { IV_BYTES, TAG_BYTES, type Sealer } from './sealer';

/** Layout of a sealed batch: `TGS1`, id of the key, IV, ciphertext, tag. */
const MAGIC = Buffer.from('TGS1', 'latin1');
const KEY_AT = 4;
const IV_AT = 8;
const HEADER_BYTES = IV_AT + IV_BYTES;

/** Returns a sink that encrypts batches for a sink whose storage others can read, such as Redis. */
export const sealedSink = (sink: LogSink, sealer: Sealer): LogSink => ({
  send: (batch, count) => sink.send(sealBatch(sealer, batch), count),
});

function sealBatch(sealer: Sealer, batch: Buffer): Buffer {
  const sealed = Buffer.allocUnsafe(HEADER_BYTES + batch.length + TAG_BYTES);
  MAGIC.copy(sealed);
  sealed.writeUInt32LE(sealer.keyId, KEY_AT);
  sealer.writeIv(sealed, IV_AT);
  const header = sealed.subarray(0, HEADER_BYTES);
  sealer.seal(batch, header.subarray(IV_AT), header, sealed, HEADER_BYTES);
  return sealed;
}

/**
 * Decrypts a sealed batch. Returns batches of older gateways, which did not encrypt, unchanged;
 * null if the bytes are damaged. Throws `UnknownKeyError` if another key encrypted them.
 */
export function openBatch(sealer: Sealer, sealed: Buffer): Buffer | null {
  if (isFrameStart(sealed, 0)) return sealed;
  if (sealed.length < HEADER_BYTES + TAG_BYTES || !sealed.subarray(0, KEY_AT).equals(MAGIC)) return null;
  const header = sealed.subarray(0, HEADER_BYTES);
  return sealer.open(
    sealed.readUInt32LE(KEY_AT),
    header.subarray(IV_AT),
    header,
    sealed.subarray(HEADER_BYTES),
  );
}
