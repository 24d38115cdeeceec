import { encodeFrame } from './frame';
import { openBatch, sealedSink } from './sealed-sink';
import { Sealer, UnknownKeyError } from './sealer';

const KEY = Buffer.alloc(32, 1);
const BATCH = encodeFrame('{"id":1}', Buffer.from('sk-live-canary'), null) as Buffer;

describe('batches that are sealed on their way', () => {
  const sent = async (): Promise<Buffer> => {
    let taken: Buffer = Buffer.alloc(0);
    const sink = {
      send: (batch: Buffer) => {
        taken = batch;
        return Promise.resolve();
      },
    };
    await sealedSink(sink, new Sealer([KEY])).send(BATCH, 1);
    return taken;
  };

  it('can be read by those who have the key, the current one or an earlier one, and by no others [security M8]', async () => {
    const sealed = await sent();
    expect(sealed.includes('canary')).toBe(false);
    expect(openBatch(new Sealer([KEY]), sealed)?.equals(BATCH)).toBe(true);
    expect(openBatch(new Sealer([Buffer.alloc(32, 2), KEY]), sealed)?.equals(BATCH)).toBe(true);
    expect(() => openBatch(new Sealer([Buffer.alloc(32, 2)]), sealed)).toThrow(UnknownKeyError);
  });

  it('are refused when a byte of them has changed, or when they are no batch', async () => {
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

  it('are taken as they are from gateways of a version that did not seal them', () => {
    expect(openBatch(new Sealer([KEY]), BATCH)).toBe(BATCH);
  });
});
