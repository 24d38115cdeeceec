import { KINDS } from './kinds';
import { comparable, plain, unknownMembers, written, type Members } from './members';

const LIMIT: Members = {
  name: {},
  type: { fallback: 'cost' },
  on_outage: { fallback: ({ type }: Record<string, unknown>) => (type === 'strict' ? 'refuse' : 'hold') },
  tags: {},
  content: { isContent: true },
  fields: { keepsEmpty: true },
  next: { isComputed: ({ period }) => period !== undefined },
  period: {},
  places: { isMap: true, members: plain('role') },
};

describe('members of a file', () => {
  it('adds the default of a missing member, even one that depends on other members', () => {
    expect(written(LIMIT, { name: 'a' })).toEqual({ name: 'a', type: 'cost', on_outage: 'hold' });
    expect(written(LIMIT, { type: 'strict' })).toEqual({ type: 'strict', on_outage: 'refuse' });
  });

  it('keeps empty lists in content and in lists that may be empty, and drops empty values elsewhere', () => {
    const fields = { tags: {}, content: { tools: [], stop: null }, fields: [] };
    expect(written(LIMIT, fields)).toMatchObject({ content: { tools: [], stop: null }, fields: [] });
    expect(written(LIMIT, fields)).not.toHaveProperty('tags');
  });

  it('writes a value that the server can compute, but does not compare it', () => {
    const fields = { next: '2030-01-01', period: 'weekly' };
    expect(written(LIMIT, fields)).toHaveProperty('next');
    expect(comparable(LIMIT, fields)).not.toHaveProperty('next');
    expect(comparable(LIMIT, { next: '2030-01-01' })).toHaveProperty('next');
  });

  it('reports an unknown member by its path, with the closest known name', () => {
    expect(unknownMembers(LIMIT, { nmae: 1, places: { search: { rolle: 'x' } }, zone: 1 })).toEqual([
      { path: 'nmae', meant: undefined },
      { path: 'places.search.rolle', meant: 'role' },
      { path: 'zone', meant: undefined },
    ]);
  });

  it.each(KINDS.map((kind) => [kind.name, kind] as const))('declares the identity of %s', (_name, kind) => {
    for (const member of [...kind.identity, ...(kind.fixed ?? [])])
      expect(kind.members).toHaveProperty(member);
  });
});
