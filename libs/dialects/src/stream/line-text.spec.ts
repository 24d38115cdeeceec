import { LineText } from './line-text';
import fc from 'fast-check';

const whole = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');

describe('LineText', () => {
  it('returns one line feed per line end, wherever the text is cut', () => {
    const parts = fc.array(fc.constantFrom('\r', '\n', '\r\n', 'data: é', '\u{1f600}', ''), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(parts, fc.array(fc.nat(), { maxLength: 6 }), (list, cuts) => {
        const bytes = Buffer.from(list.join(''));
        const places = [
          0,
          ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
          bytes.length,
        ];
        const lines = new LineText();
        const pieces = places.slice(1).map((end, at) => lines.write(bytes.subarray(places[at], end)));
        expect(pieces.join('') + lines.end()).toBe(whole(list.join('')));
      }),
      { numRuns: 500 },
    );
  });
});
