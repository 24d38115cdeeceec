import { changesOf, versionOf } from './plan-changes';

const UPDATE = { action: 'update', resourceType: 'api_keys', resourceId: 'k1' };

describe('changesOf', () => {
  it('returns the members that differ, down to those of objects', () => {
    const before = { name: 'a', usage_limits: { credit_limit: 25, type: 'cost' }, tags: ['x'], etag: '"1"' };
    const after = { name: 'a', usage_limits: { credit_limit: 50, type: 'cost' }, tags: ['y'], etag: '"2"' };
    expect(changesOf([{ ...UPDATE, before, after }])).toEqual([
      {
        ...{ action: 'update', resource_type: 'api_keys', resource_id: 'k1' },
        members: [
          { path: 'usage_limits.credit_limit', before: 25, after: 50 },
          { path: 'tags', before: ['x'], after: ['y'] },
        ],
      },
    ]);
    expect(versionOf([{ ...UPDATE, before, after }])).toBe('"1"');
  });

  it('masks secrets, and leaves out the ids of rows that do not exist yet', () => {
    const after = { id: 'new', key: 'tg*****abc', name: 'a', client_secret: 's3cret', created_at: 'now' };
    const [change] = changesOf([{ ...UPDATE, action: 'create', after }]);
    expect(change).toEqual({
      ...{ action: 'create', resource_type: 'api_keys' },
      members: [
        { path: 'name', after: 'a' },
        { path: 'client_secret', after: '*****' },
      ],
    });
    expect(versionOf([{ ...UPDATE, action: 'create', after }])).toBeNull();
  });

  it('returns at most 100 changes for one resource, and treats null as no value', () => {
    const after = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`m${String(at)}`, at]));
    expect(changesOf([{ ...UPDATE, before: {}, after }])[0]?.['members']).toHaveLength(100);
    expect(changesOf([{ ...UPDATE, before: { a: null }, after: {} }])[0]?.['members']).toEqual([]);
  });
});
