import { EventStreamCodec } from '@smithy/core/event-streams';
import { awsFrame } from '@gw/testing';
import { AwsFrameReader, FRAME_MAX, type AwsFrame } from './aws-frames';

const event = (text: string): Buffer =>
  awsFrame({ ':message-type': 'event', ':event-type': 'chunk' }, Buffer.from(text));

interface Shown {
  readonly type: string;
  readonly name: string;
  readonly text: string;
}
const shown = ({ type, name, message, payload }: AwsFrame): Shown => ({
  type,
  name,
  text: message === '' ? payload.toString('utf8') : message,
});

/**
 * Reads bytes in chunks of this size, and each frame before the next chunk, as its payload is valid
 * only until then.
 */
function read(bytes: Buffer, size: number): { frames: Shown[]; reader: AwsFrameReader } {
  const reader = new AwsFrameReader();
  const frames: Shown[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for (const frame of reader.write(bytes.subarray(at, at + size))) frames.push(shown(frame));
  return { frames, reader };
}

describe('AwsFrameReader', () => {
  const texts = ['{"a":1}', '', 'ü'.repeat(3_000), 'x'];
  const bytes = Buffer.concat(texts.map(event));

  it.each([1, 2, 3, 7, 64, 1_000, 5_000, 1_000_000])('reads frames in chunks of %d bytes', (size) => {
    const { frames, reader } = read(bytes, size);
    expect(frames.map(({ text }) => text)).toEqual(texts);
    expect([reader.broken, reader.hasRest]).toEqual([false, false]);
  });

  it("reads what AWS's own codec writes, with headers of all types", () => {
    const codec = new EventStreamCodec(
      (input) => Buffer.from(input).toString('utf8'),
      (input) => Buffer.from(input, 'utf8'),
    );
    const frame = codec.encode({
      headers: {
        flag: { type: 'boolean', value: true },
        off: { type: 'boolean', value: false },
        byte: { type: 'byte', value: 1 },
        short: { type: 'short', value: 2 },
        integer: { type: 'integer', value: 3 },
        binary: { type: 'binary', value: Buffer.from([1, 2, 3]) },
        time: { type: 'timestamp', value: new Date(0) },
        id: { type: 'uuid', value: '00000000-0000-4000-8000-000000000000' },
        ':message-type': { type: 'string', value: 'exception' },
        ':exception-type': { type: 'string', value: 'throttlingException' },
      },
      body: Buffer.from('{"message":"slow"}'),
    });
    expect(read(Buffer.from(frame), 5).frames).toEqual([
      { type: 'exception', name: 'throttlingException', text: '{"message":"slow"}' },
    ]);
  });

  it('reads an error of the connection', () => {
    const frame = awsFrame(
      { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'gone' },
      Buffer.alloc(0),
    );
    expect(read(frame, 100).frames).toEqual([{ type: 'error', name: 'InternalError', text: 'gone' }]);
  });

  it('reports a rest when the stream ends inside a frame', () => {
    const { frames, reader } = read(bytes.subarray(0, bytes.length - 1), 10);
    expect(frames).toHaveLength(3);
    expect(reader.hasRest).toBe(true);
  });

  it.each([
    ['the lengths', 0],
    ['the checksum of the lengths', 9],
    ['a header', 14],
    ['the payload', event('abc').length - 6],
    ['the last checksum', event('abc').length - 1],
  ])('reports a changed byte in %s as broken', (_part, at) => {
    const frame = event('abc');
    frame[at] = (frame[at] ?? 0) ^ 1;
    const { frames, reader } = read(Buffer.concat([frame, event('later')]), 1_000);
    expect([frames, reader.broken, reader.hasRest]).toEqual([[], true, false]);
  });

  it.each([
    ['text of another kind', Buffer.from('<html>Bad Gateway</html>')],
    ['a frame larger than 16 MiB', Buffer.from([0x01, 0x00, 0x00, 0x01, 0, 0, 0, 0, 0x1e, 0x5c, 0x8e, 0x5d])],
    ['headers that are cut', awsFrame({ ':message-type': 'event' }, Buffer.from('x')).subarray(0, 20)],
    ['a message without a type', awsFrame({ ':event-type': 'chunk' }, Buffer.from('x'))],
  ])('delivers nothing of %s', (_what, found) => {
    expect(read(found, 1_000).frames).toEqual([]);
  });

  it('refuses a frame of more than 16 MiB before it has arrived', () => {
    const { reader } = read(awsFrame({}, Buffer.alloc(FRAME_MAX)).subarray(0, 12), 12);
    expect(reader.broken).toBe(true);
  });

  it('reads a large frame byte by byte in linear time', () => {
    const large = event('y'.repeat(300_000));
    expect(read(large, 1).frames.map(({ text }) => text.length)).toEqual([300_000]);
  });
});
