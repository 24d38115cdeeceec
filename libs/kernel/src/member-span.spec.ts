import fc from 'fast-check';
import { memberSpan } from './member-span';

const spanned = (text: string, name: string): string | null => {
  const body = Buffer.from(text);
  const span = memberSpan(body, body.indexOf('{'), name);
  return span === null ? null : body.toString('utf8', span.start, span.end);
};

describe('memberSpan', () => {
  it('returns the range of every value of a member, with any indentation', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z._/]{1,8}$/), fc.jsonValue()),
        fc.constantFrom(undefined, 2, '\t', '\r\n'),
        (object, indent) => {
          const text = JSON.stringify(object, null, indent);
          for (const [name, value] of Object.entries(object)) {
            const found = spanned(text, name);
            expect(found).not.toBeNull();
            expect(JSON.parse(found as string)).toEqual(JSON.parse(JSON.stringify(value)));
          }
          expect(spanned(text, 'absent-name')).toBeNull();
        },
      ),
    );
  });

  it('compares only whole names of members of this object', () => {
    expect(spanned('{"a":{"b":1},"bb":2,"b":[3,"]"]}', 'b')).toBe('[3,"]"]');
    expect(spanned('{"a":{"b":1}}', 'b')).toBeNull();
    expect(spanned('{"a":"{\\"b\\":1}"}', 'b')).toBeNull();
    expect(spanned('{}', 'b')).toBeNull();
  });

  it('returns null when a name before it contains an escape', () => {
    expect(spanned('{"\\u0062":1,"b":2}', 'b')).toBeNull();
  });
});
