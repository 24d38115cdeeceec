import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { ResponseTail } from './response-tail';

describe('tail of a response', () => {
  it('contains its last 16,384 bytes, in chunks of any size', () => {
    const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(9_000), fc.nat(60_000)), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const pieces = lengths.map((length) => randomBytes(length));
        const tail = new ResponseTail();
        for (const piece of pieces) tail.write(piece);
        expect(tail.read().equals(Buffer.concat(pieces).subarray(-16_384))).toBe(true);
      }),
    );
  });

  it('allocates no memory for each of many small chunks', () => {
    const allocate = jest.spyOn(Buffer, 'allocUnsafe');
    const concat = jest.spyOn(Buffer, 'concat');
    const tail = new ResponseTail();
    const piece = Buffer.from('data: {}\n\n');
    for (let i = 0; i < 100_000; i += 1) tail.write(piece);
    expect(tail.read()).toHaveLength(16_384);
    expect([allocate.mock.calls.length, concat.mock.calls.length]).toEqual([1, 0]);
  });
});
