import fc from 'fast-check';
import type { WindowScan } from './check';
import { compiled } from './spec-support/judge';
import { labelledSentences } from './spec-support/pii-set';
import { StreamWindow, type WindowedScan } from './stream-window';
import { replaceFindings } from './text/replace';

const scanOf = (id: string, parameters: object): WindowScan => {
  const window = compiled([{ id, parameters }], {}).output[0]?.prepared.window;
  if (window === undefined) throw new Error('The check has no window.');
  return window;
};
const windowed = (scan: WindowScan): WindowedScan => ({
  scan,
  denies: false,
  found: () => undefined,
  failed: () => true,
});
const windowOf = (...scans: readonly WindowScan[]): StreamWindow => new StreamWindow(scans.map(windowed));
const streamed = (scan: WindowScan, pieces: readonly string[]): string => {
  const window = windowOf(scan);
  return pieces.map((piece) => window.push(piece).text).join('') + window.end().text;
};
const whole = (scan: WindowScan, text: string): string => replaceFindings(text, scan.find(text));
const cutAt = (text: string, cuts: readonly number[]): readonly string[] => {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((end, at) => text.slice(places[at], end));
};
const cuts = fc.array(fc.nat(), { maxLength: 40 });
const pii = scanOf('gw.pii', { redact: true });
const regex = (rule: string): WindowScan => scanOf('regexReplace', { rule, redactText: '#' });

const SENTENCES = labelledSentences().map(({ text }) => text);

const RULES = [
  'key-\\d{2,4}',
  '\\bab+\\b',
  '(?:a|ab)(?:c|bcd)?',
  'a.{0,5}b',
  '[ab]{3,}',
  '/aB c/i',
  'é+\\s?x',
  '\u{1f600}a',
  '^ab',
  'ab$',
  'a b c|b',
  'b(?:a b)*c',
];

describe('StreamWindow with a text in pieces', () => {
  it.each(RULES)('replaces the same matches of %s as in the whole text, wherever pieces end', (rule) => {
    const scan = regex(rule);
    const parts = fc.constantFrom(
      'a',
      'b',
      'ab',
      'c',
      ' ',
      'key-',
      '1',
      '23',
      'é',
      'x',
      '\u{1f600}',
      'A',
      'B',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), cuts, (words, at) => {
        const text = words.join('');
        expect(streamed(scan, cutAt(text, at))).toBe(whole(scan, text));
        expect(streamed(scan, [...text])).toBe(whole(scan, text));
      }),
    );
  });

  it('replaces the same personal data as in the whole text in 2,400 sentences, wherever pieces end', () => {
    const different = SENTENCES.filter((text, at) => {
      const sizes = [1, 2 + (at % 30)];
      const expected = whole(pii, text);
      return sizes.some(
        (size) => streamed(pii, text.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? []) !== expected,
      );
    });
    expect(different).toEqual([]);
  });

  it('replaces personal data in any order, cut at any position', () => {
    const texts = fc.constantFrom(
      ...SENTENCES,
      'a',
      'AB ',
      '12',
      '1234 ',
      ' ',
      '. ',
      'word ',
      'tok0 ',
      '(030) ',
      '- ',
      '\u200b',
    );
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 4 }), cuts, (parts, at) => {
        const text = parts.join(' ').slice(0, 250);
        expect(streamed(pii, cutAt(text, at))).toBe(whole(pii, text));
      }),
      { numRuns: 300 },
    );
  });
});

describe('StreamWindow: buffered characters', () => {
  const PROSE =
    'The quick brown fox, as told in books (some of them old), jumps; it is a fine day for that. ';
  const WORDS = PROSE.match(/\S+\s/g) ?? [];

  it('buffers no character in which no match can start', () => {
    const window = windowOf(regex('ULTRA-\\d+'), {
      ...scanOf('contains', { words: ['ZZZ'], operator: 'none' }),
    });
    for (const char of PROSE.repeat(20)) {
      expect(window.push(char)).toEqual({ text: char, isDenied: false });
      expect(window.heldLength).toBe(0);
    }
  });

  it('buffers at most the last word for personal data', () => {
    const window = windowOf(pii);
    let held = 0;
    for (const word of WORDS) {
      window.push(word.slice(0, -1));
      held = Math.max(held, window.heldLength - word.length + 1);
      window.push(word.slice(-1));
      held = Math.max(held, window.heldLength);
    }
    expect(held).toBe(0);
  });

  it('buffers a possible match until it is ruled out', () => {
    const window = windowOf(regex('key-\\d{4}'));
    const steps = ['The k', 'e', 'y-12', 'x and', ' on'].map((piece) => [
      window.push(piece).text,
      window.heldLength,
    ]);
    expect(steps).toEqual([
      ['The ', 1],
      ['', 2],
      ['', 6],
      ['key-12x and', 0],
      [' on', 0],
    ]);
  });

  it('does not scan a text without possible matches, so that a piece costs only its new characters', () => {
    let searches = 0;
    const counted = (scan: WindowScan): WindowScan => ({
      ...scan,
      find: (text) => {
        searches += 1;
        return scan.find(text);
      },
    });
    const window = windowOf(counted(pii), counted(regex('key-\\d{4}')));
    for (const word of WORDS) for (const char of word) window.push(char);
    expect(searches).toBe(0);
    window.push('key-1234 and on ');
    expect(searches).toBeGreaterThan(0);
  });

  it('scans a bounded number of times when the whole text is findings, however small the pieces', () => {
    let looked = 0;
    const every = regex('a');
    const counted: WindowScan = {
      ...every,
      find: (text) => {
        looked += text.length;
        return every.find(text);
      },
    };
    const window = windowOf(counted);
    const text = 'a b c d '.repeat(5_000);
    const out = [...text].map((char) => window.push(char).text).join('') + window.end().text;
    expect(out).toBe(text.replaceAll('a', '#'));
    expect(looked).toBeLessThan(16 * text.length);
  });

  it('forwards everything in order after an optional scan has failed', () => {
    const failing: WindowScan = {
      ...regex('key-\\d{4}'),
      find: () => {
        throw new Error('It cannot be carried out.');
      },
    };
    const window = new StreamWindow([{ ...windowed(failing), failed: () => false }]);
    const pieces = ['a key-1234 ', 'b ', 'key-', '12', 'c'];
    expect(pieces.map((piece) => window.push(piece).text).join('') + window.end().text).toBe(pieces.join(''));
  });
});
