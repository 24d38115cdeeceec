import fc from 'fast-check';
import { bodyPlace, bodyReference, decodeLogBodies, encodeLogBodies } from './log-body';

const body = fc.option(fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)));

describe('logged bodies', () => {
  it('come back as they were, whatever they hold; empty and absent stay apart', () => {
    fc.assert(
      fc.property(body, body, (request, response) => {
        const encoded = encodeLogBodies({ request, response });
        if (request === null && response === null) expect(encoded).toBeNull();
        else expect(decodeLogBodies(encoded as Buffer)).toEqual({ request, response });
      }),
    );
  });

  it('take little room where they repeat themselves', () => {
    const text = Buffer.from(
      JSON.stringify({ messages: Array(200).fill({ role: 'user', content: 'Hello there' }) }),
    );
    expect(encodeLogBodies({ request: text, response: text })?.length).toBeLessThan(text.length / 10);
  });

  it('that are damaged or of another form are distinguished from good ones', () => {
    const encoded = encodeLogBodies({ request: Buffer.from('abc'), response: null }) as Buffer;
    expect(() => decodeLogBodies(encoded.subarray(0, -1))).toThrow('damaged');
    expect(() => decodeLogBodies(Buffer.concat([Buffer.of(9), encoded.subarray(1)]))).toThrow(
      'does not know',
    );
    expect(() => decodeLogBodies(Buffer.from([1, 2, 3]))).toThrow();
  });

  it('are found by their reference', () => {
    const place = { key: 'bodies/2026-11-21/abc', offset: 12, length: 34 };
    expect(bodyPlace(bodyReference(place))).toEqual(place);
    expect(() => bodyPlace('bodies/x')).toThrow('not valid');
  });
});
