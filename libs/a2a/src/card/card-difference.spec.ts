import { cardDifference } from './card-difference';

const CARD = {
  ...{ name: 'Reader', description: 'Reads.', url: 'https://agent.example.com' },
  skills: [
    { id: 'read', tags: ['a'] },
    { id: 'write', tags: [] },
  ],
};
const NONE = { addedSkills: [], removedSkills: [], changedSkills: [], members: [] };

describe('cardDifference', () => {
  it('returns the added, removed and changed skills and members', () => {
    const { description: _description, ...rest } = CARD;
    const after = {
      ...{ ...rest, name: 'Writer', version: '2' },
      skills: [{ id: 'read', tags: ['b'] }, { id: 'find' }],
    };
    expect(cardDifference(CARD, after)).toEqual({
      ...{ addedSkills: ['find'], removedSkills: ['write'], changedSkills: ['read'] },
      members: ['version', 'description', 'name'],
    });
  });

  it('ignores the order of members and signatures', () => {
    const after = Object.fromEntries(Object.entries({ ...CARD, signatures: [{}] }).reverse());
    expect(cardDifference(CARD, after)).toEqual(NONE);
  });

  it('accepts cards without a list of skills, and skills without an id', () => {
    expect(cardDifference({ skills: 'x' }, { skills: [7, {}, { id: 8 }] })).toEqual(NONE);
  });

  it('compares members that have names of Object.prototype', () => {
    const after = JSON.parse(
      '{"__proto__":{"a":1},"constructor":"x","skills":[{"id":"__proto__"}]}',
    ) as object;
    expect(cardDifference({}, after as Record<string, unknown>)).toEqual({
      ...{ ...NONE, addedSkills: ['__proto__'], members: ['__proto__', 'constructor'] },
    });
  });
});
