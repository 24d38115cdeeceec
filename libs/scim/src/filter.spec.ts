import fc from 'fast-check';
import {
  applyPatch,
  GROUP_KIND,
  matches,
  parseFilter,
  readPatch,
  readResource,
  ScimError,
  USER_KIND,
} from './index';

const isReadOrRefused = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch (error) {
    return error instanceof ScimError && error.status === 400;
  }
};

/** Draws words and signs of filters in any order, with any text between them. */
const FILTER = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'userName',
        'emails',
        'active',
        'name.givenName',
        'meta.created',
        'nosuch',
        '__proto__',
      ),
      fc.constantFrom('eq', 'ne', 'co', 'pr', 'gt', 'and', 'or', 'not', '(', ')', '[', ']', '.value'),
      fc.constantFrom('"a"', 'true', 'null', '12', '"2026-01-01T00:00:00Z"', '"\\u00e9"', '"\\'),
      fc.string(),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(' '));

describe('parseFilter, applyPatch and readResource with any input', () => {
  it('parse a filter that can be evaluated, or throw invalidFilter', () => {
    fc.assert(
      fc.property(FILTER, (text) =>
        isReadOrRefused(() =>
          matches(parseFilter(USER_KIND, text), { userName: 'a', emails: [{ value: 'b' }] }),
        ),
      ),
      { numRuns: 2_000 },
    );
  });

  it('return a patched resource or throw a ScimError, and never pollute prototypes', () => {
    const name = fc.constantFrom(
      'emails',
      'emails[type eq "work"].value',
      'name',
      'active',
      'members',
      '__proto__',
      'userName',
      'roles[primary eq true]',
    );
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'Replace', 'remove', 'move'),
        path: fc.option(name),
        value: fc.jsonValue(),
      },
      { requiredKeys: ['op'] },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), (Operations) =>
        [USER_KIND, GROUP_KIND].every((kind) =>
          isReadOrRefused(() =>
            applyPatch(kind, { userName: 'a', active: true }, readPatch(kind, { Operations })),
          ),
        ),
      ),
      { numRuns: 2_000 },
    );
    expect(({} as Record<string, unknown>)['value']).toBeUndefined();
  });

  it('return a resource or throw a ScimError', () => {
    fc.assert(fc.property(fc.jsonValue(), (body) => isReadOrRefused(() => readResource(USER_KIND, body))));
  });
});

describe('parseFilter', () => {
  it('decodes JSON escapes in strings', () => {
    expect(matches(parseFilter(USER_KIND, 'userName eq "\\u00e9"'), { userName: 'É' })).toBe(true);
  });

  it('parses a comparison after the filter of a list', () => {
    const filter = parseFilter(USER_KIND, 'emails[type eq "work"].value eq "w@a"');
    const emails = [
      { type: 'work', value: 'h@a' },
      { type: 'home', value: 'w@a' },
    ];
    expect(matches(filter, { emails })).toBe(false);
    expect(matches(filter, { emails: [...emails, { type: 'work', value: 'W@A' }] })).toBe(true);
  });

  it('refuses a filter of more than 4,096 characters', () => {
    expect(() => parseFilter(USER_KIND, `userName eq "${'a'.repeat(4_090)}"`)).toThrow(
      /at most 4096 characters/,
    );
  });

  it('treats a comparison with null as a test for absence', () => {
    expect(matches(parseFilter(USER_KIND, 'title eq null'), {})).toBe(true);
    expect(matches(parseFilter(USER_KIND, 'title ne null'), { title: 'x' })).toBe(true);
  });
});
