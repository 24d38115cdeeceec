import { decodeFrames, encodeFrame, FRAME_BYTES_MAX } from './frame';

const encoded = (...parts: Parameters<typeof encodeFrame>): Buffer => encodeFrame(...parts) as Buffer;

describe('encodeFrame and decodeFrames', () => {
  it('restore metadata and bodies byte for byte, and distinguish an empty body from none', () => {
    const binary = Buffer.from([0, 255, 10, 13, 0x54, 0x47, 0x4a, 0x31]);
    const batch = Buffer.concat([
      encoded('{"name":"größe 🙂"}', binary, [Buffer.from('data: 1\n\n'), Buffer.from('data: 2\n\n')]),
      encoded(Buffer.from('{}'), Buffer.alloc(0), null),
    ]);

    const { frames, damaged } = decodeFrames(batch);

    expect(damaged).toBe(false);
    expect(frames.map(({ meta }) => meta.toString())).toEqual(['{"name":"größe 🙂"}', '{}']);
    expect(frames[0]?.request).toEqual(binary);
    expect(frames[0]?.response?.toString()).toBe('data: 1\n\ndata: 2\n\n');
    expect(frames[1]?.request).toEqual(Buffer.alloc(0));
    expect(frames[1]?.response).toBeNull();
  });

  it('reject frames in which any byte has changed', () => {
    const first = encoded('{"id":1}', Buffer.from('request'), Buffer.from('response'));
    const second = encoded('{"id":2}', null, null);
    for (let at = 0; at < first.length; at += 1) {
      const batch = Buffer.concat([first, second]);
      batch.writeUInt8((batch.readUInt8(at) + 1) % 256, at);
      expect(decodeFrames(batch)).toEqual({ frames: [], damaged: true });
    }
  });

  it('omit and mark a body that does not fit, and refuse metadata that does not fit', () => {
    const large = Buffer.alloc(FRAME_BYTES_MAX);
    const [frame] = decodeFrames(encoded('{"id":1}', large, Buffer.from('short'))).frames;
    expect(frame).toMatchObject({ request: null, requestOmitted: true, responseOmitted: false });
    expect(frame?.response?.toString()).toBe('short');
    expect(encodeFrame('x'.repeat(FRAME_BYTES_MAX), null, null)).toBeNull();
  });
});
