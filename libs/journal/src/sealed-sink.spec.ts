import { encodeFrame } from './frame';
import { openBatch, sealedSink } from './sealed-sink';
import { Sealer, UnknownKeyError } from './sealer';

const KEY = Buffer.alloc(32, 1);
const BATCH = encodeFrame('{"id":1}', Buffer.from('sk-live-canary'), null) as Buffer;

describe('sealedSink and openBatch', () => {
  const sent = async (): Promise<Buffer> => {
    let received: Buffer = Buffer.alloc(0);
    const sink = {
      send: (batch: Buffer) => {
        received = batch;
        return Promise.resolve();
      },
    };
    await sealedSink(sink, new Sealer([KEY])).send(BATCH, 1);
    return received;
  };

  it('encrypt batches that only a current or an earlier key can decrypt [security M8]', async () => {
    const sealed = await sent();
    expect(sealed.includes('canary')).toBe(false);
    expect(openBatch(new Sealer([KEY]), sealed)?.equals(BATCH)).toBe(true);
    expect(openBatch(new Sealer([Buffer.alloc(32, 2), KEY]), sealed)?.equals(BATCH)).toBe(true);
    expect(() => openBatch(new Sealer([Buffer.alloc(32, 2)]), sealed)).toThrow(UnknownKeyError);
  });

  it('return null for a changed batch and for other bytes', async () => {
    const sealed = await sent();
    for (let at = 8; at < sealed.length; at += 1) {
      const damaged = Buffer.from(sealed);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      expect(openBatch(new Sealer([KEY]), damaged)).toBeNull();
    }
    expect(
      openBatch(new Sealer([KEY]), Buffer.from('no batch at all, and long enough to be one')),
    ).toBeNull();
  });

  it('return unencrypted batches of older gateways unchanged', () => {
    expect(openBatch(new Sealer([KEY]), BATCH)).toBe(BATCH);
  });
});
