import fc from 'fast-check';
import { bodyPlace, bodyReference, decodeLogBodies, encodeLogBodies } from './log-body';

const body = fc.option(fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)));

describe('encodeLogBodies and decodeLogBodies', () => {
  it('restore any bodies, and distinguish empty from absent ones', () => {
    fc.assert(
      fc.property(body, body, (request, response) => {
        const encoded = encodeLogBodies({ request, response });
        if (request === null && response === null) expect(encoded).toBeNull();
        else expect(decodeLogBodies(encoded as Buffer)).toEqual({ request, response });
      }),
    );
  });

  it('compress repeated text to less than a tenth', () => {
    const text = Buffer.from(
      JSON.stringify({ messages: Array(200).fill({ role: 'user', content: 'Hello there' }) }),
    );
    expect(encodeLogBodies({ request: text, response: text })?.length).toBeLessThan(text.length / 10);
  });

  it('throw for damaged bodies and for an unknown encoding', () => {
    const encoded = encodeLogBodies({ request: Buffer.from('abc'), response: null }) as Buffer;
    expect(() => decodeLogBodies(encoded.subarray(0, -1))).toThrow('damaged');
    expect(() => decodeLogBodies(Buffer.concat([Buffer.of(9), encoded.subarray(1)]))).toThrow(
      'does not know',
    );
    expect(() => decodeLogBodies(Buffer.from([1, 2, 3]))).toThrow();
  });
});

describe('bodyPlace', () => {
  it('parses what bodyReference returns and throws for other text', () => {
    const place = { key: 'bodies/2026-11-21/abc', offset: 12, length: 34 };
    expect(bodyPlace(bodyReference(place))).toEqual(place);
    expect(() => bodyPlace('bodies/x')).toThrow('not valid');
  });
});
