import fc from 'fast-check';
import { sampleResponse } from './spec-support/samples';
import { decodeResponse, encodeResponse, storableHeaders } from './cached-response';

const chunks = fc.array(
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 8 },
);

describe('encodeResponse', () => {
  it('preserves every chunk and the description of a response', () => {
    fc.assert(
      fc.property(chunks, fc.boolean(), (pieces, streamed) => {
        const response = sampleResponse('', { chunks: pieces, streamed, headers: ['x', 'modèle'] });
        expect(decodeResponse(encodeResponse(response))).toEqual(response);
      }),
    );
  });

  it('decodes a frame with a changed, missing or additional byte to null', () => {
    const frame = encodeResponse(
      sampleResponse('hello', { chunks: [Buffer.from('he'), Buffer.from('llo')] }),
    );
    for (let at = 0; at < frame.length; at += 1) {
      const damaged = Buffer.from(frame);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      expect(decodeResponse(damaged)).toBeNull();
      expect(decodeResponse(frame.subarray(0, at))).toBeNull();
    }
    expect(decodeResponse(Buffer.concat([frame, Buffer.from([0])]))).toBeNull();
  });

  it("copies the chunks, so that the connection's buffers are not kept alive", () => {
    const shared = Buffer.alloc(65_536, 'x');
    const frame = encodeResponse(sampleResponse('', { chunks: [shared.subarray(0, 10)] }));
    expect(frame.buffer.byteLength).toBe(frame.length);
    expect(frame.length).toBeLessThan(1_000);
  });
});

it('storableHeaders keeps headers that describe the body, and never cookies, credentials, ids or limits', () => {
  const headers = [
    ...['Content-Type', 'text/event-stream', 'set-cookie', 'a=b', 'authorization', 'Bearer s'],
    ...[
      'x-request-id',
      'r1',
      'x-ratelimit-remaining-requests',
      '1',
      'content-encoding',
      'gzip',
      'date',
      'now',
    ],
    ...['x-api-key', 's', 'x-amz-security-token', 's', 'content-length', '5', 'transfer-encoding', 'chunked'],
  ];
  expect(storableHeaders(headers)).toEqual(['content-type', 'text/event-stream', 'content-encoding', 'gzip']);
});
