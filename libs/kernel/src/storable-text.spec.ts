import fc from 'fast-check';
import { isStorableText, isWellFormed, storableJson, storableText, wellFormed } from './storable-text';

/** Texts of any UTF-16 units, of which many are NUL, halves of pairs and parts of their escapes. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\0',
        '\ud800',
        '\udbff',
        '\udc00',
        '\udfff',
        '👩',
        '\\',
        '"',
        'u0000',
        'ud800',
        '\ufffd',
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

/** The text after Postgres, which gets and keeps UTF-8. */
const inUtf8 = (text: string): string => Buffer.from(text).toString();

describe('text that Postgres can store', () => {
  it.each([
    ['', true],
    ['a\n\u0001\u007f\u2028', true],
    ['👩 \ufffd \uffff', true],
    ['a\u0000b', false],
    ['\ud800', false],
    ['a\udc00', false],
    ['\udc00\ud800', false],
    ['👩\ud83d', false],
  ])('may be %j: %p', (text, isStorable) => {
    expect(isStorableText(text)).toBe(isStorable);
  });

  it('has U+FFFD for NUL and for each half of a surrogate pair', () => {
    expect(storableText('a\0b\ud800c\udc00👩\ud83d')).toBe('a\ufffdb\ufffdc\ufffd👩\ufffd');
  });

  it('is unchanged by UTF-8, and only text that is not storable is replaced', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(isStorableText(text)).toBe(inUtf8(text) === text && !text.includes('\0'));
        expect(storableText(text)).toBe(inUtf8(text).replaceAll('\0', '\ufffd'));
      }),
    );
  });
});

describe('text that UTF-8 can encode', () => {
  it('may have NUL and no half of a surrogate pair', () => {
    expect(isWellFormed('a\0👩')).toBe(true);
    expect(isWellFormed('👩\ud83d')).toBe(false);
    fc.assert(
      fc.property(texts, (text) => {
        expect(isWellFormed(text)).toBe(inUtf8(text) === text);
        expect(wellFormed(text)).toBe(inUtf8(text));
      }),
    );
  });
});

describe('JSON that Postgres can store', () => {
  it('has storable texts and names, wherever they are', () => {
    const value = { 'k\0': ['v\ud800', { a: '\udc00' }], n: 1, none: null };
    expect(storableJson(value)).toBe('{"k\ufffd":["v\ufffd",{"a":"\ufffd"}],"n":1,"none":null}');
  });

  it('keeps texts that look like escapes, and values with a JSON form of their own', () => {
    const at = new Date(0);
    const value = { escape: '\\u0000', pair: '\\\\ud800', at, nul: '\0' };
    expect(JSON.parse(storableJson(value))).toEqual({ ...value, at: at.toJSON(), nul: '\ufffd' });
  });

  it('differs from the value only in texts that are not storable', () => {
    fc.assert(
      fc.property(texts, texts, (name, text) => {
        expect(JSON.parse(storableJson([{ [name]: text }]))).toEqual([
          { [storableText(name)]: storableText(text) },
        ]);
      }),
    );
  });
});
