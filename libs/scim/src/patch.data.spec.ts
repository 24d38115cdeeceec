import { vectors } from './spec-support/vectors';
import { matches, parseFilter, readPatch, ScimError, USER_KIND, type ScimDocument } from './index';
import { applyPatch } from './patch';

interface PatchCase {
  readonly before: Readonly<Record<string, unknown>>;
  readonly operations: unknown;
  readonly expect: string | Readonly<Record<string, unknown>>;
}

const patched = ({ before, operations }: PatchCase): ScimDocument =>
  applyPatch(USER_KIND, before as ScimDocument, readPatch(USER_KIND, { Operations: operations }));

const faultOf = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ScimError && error.status === 400) return error.scimType;
    throw error;
  }
};

/**
 * Returns the value that a vector names: a dotted attribute, the primary address, or the number of
 * addresses.
 */
function named(document: ScimDocument, name: string): unknown {
  const emails = (document['emails'] ?? []) as readonly { value: string; primary?: boolean }[];
  if (name === 'emails_count') return emails.length;
  if (name === 'primary')
    return emails
      .filter(({ primary }) => primary === true)
      .map(({ value }) => value)
      .join();
  const [attribute = '', sub] = name.split('.');
  const value = document[attribute];
  return sub === undefined ? value : (value as Record<string, unknown> | undefined)?.[sub];
}

describe('applyPatch with operations of identity providers', () => {
  it.each(vectors<PatchCase>('patch'))('%s %s', (_id, _reason, each) => {
    const { before, expect: wanted } = each;
    const polluted = Object.keys(Object.prototype);
    if (typeof wanted === 'object') {
      const after = patched(each);
      for (const [name, value] of Object.entries(wanted))
        expect([name, named(after, name) ?? null]).toEqual([name, value]);
    } else {
      const type = faultOf(() => patched(each));
      const outcomes = wanted.split(/ or |, /);
      if (type === null) {
        expect(outcomes.some((outcome) => /no change|ignored|active true/.test(outcome))).toBe(true);
        expect(patched(each)).toEqual(before);
      } else {
        expect(outcomes.some((outcome) => outcome === type || outcome === '400')).toBe(true);
      }
    }
    expect(Object.keys(Object.prototype)).toEqual(polluted);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

interface FilterCase {
  readonly filter?: string;
  readonly gen?: string;
  readonly expect: string;
}

const WORK = { type: 'work', value: 'w@example.org' };
const HOME = { type: 'home', value: 'h@example.org' };
const person = (more: object): ScimDocument => ({ userName: 'u', ...more });

/** For each filter with a described verdict, a resource that matches and one that does not. */
const MEANINGS: Readonly<
  Record<string, readonly [yes: readonly ScimDocument[], no: readonly ScimDocument[]]>
> = {
  'same element must match both': [
    [person({ emails: [WORK] })],
    [person({ emails: [HOME] }), person({ emails: [{ type: 'work', value: 'w@a.example' }, HOME] })],
  ],
  'different elements may match': [[person({ emails: [WORK, HOME] })], [person({ emails: [HOME] })]],
  'and binds tighter': [
    [person({ userName: 'a', active: false }), person({ userName: 'b', active: true })],
    [person({ userName: 'b', active: false })],
  ],
  'matches a@example.org': [[person({ userName: 'a@example.org' })], [person({ userName: 'b@example.org' })]],
  'does not match abc': [[person({ externalId: 'ABC' })], [person({ externalId: 'abc' })]],
  'matches only a percent sign': [[person({ userName: '%' })], [person({ userName: 'x' })]],
};

describe('parseFilter with filters of identity providers', () => {
  it.each(vectors<FilterCase>('filter'))('%s %s', (_id, _reason, { filter, expect: wanted }) => {
    const text = filter ?? Array.from({ length: 51 }, () => 'userName pr').join(' or ');
    if (wanted === 'reject') {
      expect(faultOf(() => parseFilter(USER_KIND, text))).toBe('invalidFilter');
      return;
    }
    if (wanted === 'either') {
      expect([null, 'invalidFilter']).toContain(faultOf(() => parseFilter(USER_KIND, text)));
      return;
    }
    const parsed = parseFilter(USER_KIND, text);
    if (wanted === 'accept') return;
    const [yes, no] = MEANINGS[wanted] ?? [[], []];
    expect(yes.length).toBeGreaterThan(0);
    expect(yes.map((each) => matches(parsed, each))).toEqual(yes.map(() => true));
    expect(no.map((each) => matches(parsed, each))).toEqual(no.map(() => false));
  });
});
