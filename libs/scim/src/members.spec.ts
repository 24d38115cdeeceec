import { changedMembers, memberChanges } from './members';
import { readPatch } from './patch-operation';
import { GROUP_KIND } from './schemas';

const ID = '0193f0aa-0000-7000-8000-00000000000a';

const after = (operation: object): readonly string[] => [
  ...changedMembers(
    new Set([ID]),
    memberChanges(readPatch(GROUP_KIND, { Operations: [operation] }), 'members'),
  ),
];

describe('operations on the members of a group', () => {
  it.each([
    ['filter in upper case', { op: 'remove', path: `members[value eq "${ID.toUpperCase()}"]` }],
    ['value in upper case', { op: 'remove', path: 'members', value: [{ value: ID.toUpperCase() }] }],
  ])('remove a member by a %s', (_, operation) => {
    expect(after(operation)).toEqual([]);
  });

  it('name ids where filters do, so that a thousand removals do not compare each member with each', () => {
    const others = ['b', 'c'].map((id) => `value eq "${id}"`).join(' or ');
    const operations = [
      { op: 'remove', path: `members[value eq "A"]` },
      { op: 'remove', path: `members[${others}]` },
    ];
    expect(memberChanges(readPatch(GROUP_KIND, { Operations: operations }), 'members')).toEqual([
      { kind: 'remove', ids: ['a'] },
      { kind: 'remove', ids: ['b', 'c'] },
    ]);
  });

  it('have few comparisons other than with ids', () => {
    const read = (count: number): unknown => {
      const filter = Array.from({ length: 5 }, () => 'value co "x"').join(' and ');
      const operations = Array.from({ length: count }, () => ({ op: 'remove', path: `members[${filter}]` }));
      return memberChanges(readPatch(GROUP_KIND, { Operations: operations }), 'members');
    };
    expect(read(4)).toHaveLength(4);
    const tooMany = expect.objectContaining({ scimType: 'tooMany' }) as Error;
    expect(() => read(5)).toThrow(tooMany);
  });

  it.each([
    ['mutability', { op: 'remove', path: 'members.display' }],
    ['mutability', { op: 'remove', path: `members[value eq "${ID}"].display` }],
    ['mutability', { op: 'replace', path: `members[value eq "${ID}"]`, value: { value: 'b' } }],
    ['invalidFilter', { op: 'remove', path: 'members[display ne "Ann"]' }],
    ['invalidFilter', { op: 'remove', path: `members[value eq "b" or not (type eq "User")]` }],
  ])('are refused with %s: %j', (scimType, operation) => {
    const refused = expect.objectContaining({ scimType }) as Error;
    expect(() => after(operation)).toThrow(refused);
  });
});
