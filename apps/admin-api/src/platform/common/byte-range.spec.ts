import { GatewayError } from '@gw/kernel';
import { byteRange } from './byte-range';

describe('byteRange', () => {
  it.each<[string, readonly [number, number]]>([
    ['bytes=0-0', [0, 1]],
    ['bytes=0-3', [0, 4]],
    ['bytes=4-', [4, 10]],
    ['bytes=4-999999999999999', [4, 10]],
    ['bytes=-3', [7, 10]],
    ['bytes=-30', [0, 10]],
    ['Bytes=9-9', [9, 10]],
  ])('reads %s of ten bytes', (header, [start, end]) => {
    expect(byteRange(header, 10)).toEqual({ start, end });
  });

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=5-4',
    'bytes=0-1,3-4',
    'bytes=a-b',
    'bytes=0--1',
    'bytes= 0-1',
    'lines=0-1',
    'bytes=0-9999999999999999',
  ])('sends the whole content for the header %s', (header) => {
    expect(byteRange(header, 10)).toBeNull();
  });

  it.each([
    ['bytes=10-', 10],
    ['bytes=10-12', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
    ['bytes=-1', 0],
  ])('refuses %s of %i bytes, and reports the number of bytes', (header, length) => {
    let thrown: unknown;
    try {
      byteRange(header, length);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(GatewayError);
    const { status, options } = thrown as GatewayError;
    expect([status, options.headers]).toEqual([416, { 'content-range': `bytes */${String(length)}` }]);
  });
});
