import fc from 'fast-check';
import { NO_DEMAND } from './output-demand';
import { shallowScan, spliceModel } from './shallow-scan';

const scan = (text: string) => shallowScan(Buffer.from(text, 'utf8'));

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * A document with its keys in any order, often with `model` and `stream`, in compact or spaced
 * text.
 */
const anyDocument = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom('model', 'stream', 'messages', 'Model', 'mode', 'models', 'streams'),
          fc.string(),
        ),
        fc.oneof(
          { weight: 3, arbitrary: fc.jsonValue() },
          {
            weight: 1,
            arbitrary: fc.constantFrom('gpt-4o', 'a"b', 'a\\', 'ü', '', true, false, null, 0, -1.5e-7),
          },
          {
            weight: 1,
            arbitrary: fc.string({
              minLength: 20,
              maxLength: 400,
              unit: fc.constantFrom('\\', '"', 'a', '\n', '}', '{', ':', ',', '€'),
            }),
          },
        ),
      ),
      { maxLength: 12 },
    ),
    fc.constantFrom(undefined, 1, '\t'),
  )
  .map(([members, indent]) => JSON.stringify(Object.fromEntries(members), null, indent));

describe('shallowScan', () => {
  it('reads model and stream from the top level only', () => {
    const text = '{"messages":[{"model":"inner","stream":false}],"model":"gpt-4o","stream":true}';
    expect(scan(text)).toEqual({
      model: 'gpt-4o',
      stream: true,
      needsParse: false,
      modelSpan: [55, 63],
      output: NO_DEMAND,
    });
  });

  it('agrees with JSON.parse on every valid document, or requests a parse', () => {
    fc.assert(
      fc.property(anyDocument, (text) => {
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const result = scan(text);
        if (result.needsParse) return;
        expect(result.model).toBe(parsed['model'] ?? null);
        expect(result.stream).toBe(parsed['stream'] ?? null);
      }),
      { numRuns: 3_000 },
    );
  });

  it('does not request a parse for plain `model` and `stream`, whatever else the document contains', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z_]{1,20}$/), fc.jsonValue()),
        fc.boolean(),
        (members, stream) => {
          const text = JSON.stringify({ ...members, model: 'gpt-4o', stream });
          expect(scan(text)).toMatchObject({ model: 'gpt-4o', stream, needsParse: false });
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a second model, which another parser may prefer', '{"model":"a","model":"b"}'],
    ['a second stream', '{"stream":true,"stream":false}'],
    ['an escaped key', '{"model":"a","m\\u006fdel":"b"}'],
    ['an escaped model', '{"model":"gpt\\u002d4o"}'],
    ['a model that is not ASCII', '{"model":"gpt-4ö"}'],
    ['a model that is no text', '{"model":{"name":"a"}}'],
    ['a null model', '{"model":null}'],
    ['a stream that is no boolean', '{"stream":"true"}'],
    ['an array', '[{"model":"a"}]'],
    ['a text', '"model"'],
    ['nothing', ''],
    ['white space', '  '],
    ['a second document', '{"model":"a"}{"model":"b"}'],
    ['a byte order mark', '\ufeff{"model":"a"}'],
    ['a trailing comma', '{"model":"a",}'],
    ['a comment', '{/**/"model":"a"}'],
    ['a missing colon', '{"model" "a"}'],
    ['single quotes', "{'model':'a'}"],
    ['a bare word', '{"model":"a","x":nul}'],
    ['NaN', '{"model":"a","x":NaN}'],
    ['a leading zero', '{"model":"a","x":01}'],
    ['an open object', '{"model":"a"'],
    ['an open text', '{"model":"a'],
    ['an open list', '{"model":"a","x":[1'],
    ['a list closed as an object', '{"model":"a","x":[1}'],
    ['a control character in the model', '{"model":"a\u0001"}'],
    ['an escape that JSON does not know', String.raw`{"model":"a","x":"\x41"}`],
    ['a short unicode escape', String.raw`{"model":"a","x":"\u12"}`],
    [
      'a unicode escape that is cut off by the end of its text',
      String.raw`{"model":"a","x":[{"y":"\u123"}]}`,
    ],
    ['a unicode escape with a letter that is no digit', String.raw`{"model":"a","x":"\u12g4"}`],
    ['a bad escape behind a good one', String.raw`{"model":"a","x":"\\\q"}`],
    ['a bad escape far behind the last', `{"model":"a","x":"\\n${'x'.repeat(500)}\\v"}`],
    ['a bad escape in a key further in', String.raw`{"model":"a","x":{"\'":1}}`],
    ['a backslash outside of every text', String.raw`{"model":"a","x":[\q]}`],
    ['more members than a parser accepts', `{"model":"a",${'"x":1,'.repeat(100_000)}"y":1}`],
  ])('requests a parse for %s', (_, text) => {
    expect(scan(text)).toEqual({
      model: null,
      stream: null,
      needsParse: true,
      modelSpan: null,
      output: NO_DEMAND,
    });
  });

  it('finds the end of long texts by counting the backslashes before a quote', () => {
    for (const tail of ['\\', '"', '\\"', '\\\\', '"\\', '\\\\"x']) {
      for (const length of [0, 10, 22, 23, 24, 25, 26, 60]) {
        const text = JSON.stringify({
          x: 'a'.repeat(length) + tail,
          model: 'm',
          y: 'b'.repeat(length) + tail,
        });
        expect(scan(text)).toMatchObject({ model: 'm', needsParse: false });
      }
    }
  });

  it('agrees with JSON.parse on escapes in a text', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        '/',
        '\\',
        'b',
        'f',
        'n',
        'r',
        't',
        'u0041',
        'uD83D',
        'uabcd',
        'u12',
        'u00g0',
        'x41',
        'v',
        "'",
        '0',
      ),
      fc.string({ unit: fc.constantFrom('a', 'u', '0', 'F', 'é') }),
    );
    const texts = fc.array(fc.tuple(piece, fc.stringMatching(/^[ -!#-[\]-~]{0,40}$/)), { maxLength: 8 });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = `{"model":"m","x":"${parts.map(([escape, rest]) => `\\${escape}${rest}`).join('')}"}`;
        expect(scan(text).needsParse).toBe(!isJson(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('never throws and never reads past the end, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.constantFrom('', '{"model":"a",', '{"x":[{"'),
        (bytes, head) => {
          expect(() => shallowScan(Buffer.concat([Buffer.from(head), bytes]))).not.toThrow();
        },
      ),
    );
  });

  it('never reads another model from a document that was cut off', () => {
    const whole = '{"a":"\\"model\\":\\"x\\"","model":"gpt-4o","b":[1,{"model":"y"}]}';
    for (let length = 0; length < whole.length; length += 1) {
      expect(scan(whole.slice(0, length)).needsParse).toBe(true);
    }
  });

  it('handles 200,000 nested lists without recursion', () => {
    const nested = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(scan(`{"model":"a","x":${nested}}`)).toMatchObject({ model: 'a', needsParse: false });
  });
});

describe('spliceModel', () => {
  it('changes the model and no other byte', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-l]{1,5}$/), fc.jsonValue()),
        fc.string(),
        (members, model) => {
          const document = { ...members, model: 'gpt-4o', last: '€' };
          const body = Buffer.from(JSON.stringify(document), 'utf8');
          const { modelSpan } = shallowScan(body);
          const spliced = spliceModel(body, modelSpan ?? [0, 0], model).toString('utf8');
          expect(spliced).toBe(JSON.stringify({ ...document, model }));
        },
      ),
    );
  });
});
