import { ownerConditions, type LogFilter, type LogOwner, type LogViewer } from './log-conditions';

const OWNER: LogOwner = { organisationId: 'o', workspaceId: 'w' };
const VIEWER: LogViewer = { ...OWNER, madeWith: { apiKeyId: null, userId: 'u' } };

describe('LogFilter', () => {
  it('does not accept a restricted viewer as its owner, because lists ignore the restriction', () => {
    // @ts-expect-error The type check fails when a list accepts a restriction that it ignores.
    const filter: Pick<LogFilter, 'owner'> = { owner: VIEWER };
    expect(filter.owner).toBe(VIEWER);
  });
});

describe('ownerConditions', () => {
  it('restricts a viewer to requests made with its key or, without one, with keys of its user', () => {
    const conditions = (viewer: LogViewer): readonly unknown[] => {
      const values: unknown[] = [];
      const where = ownerConditions(viewer, (value) => `$${String(values.push(value))}`);
      return [where.slice(2), values.slice(2)];
    };
    expect(conditions(VIEWER)).toEqual([['user_id = $3'], ['u']]);
    expect(conditions({ ...OWNER, madeWith: { apiKeyId: 'k', userId: 'u' } })).toEqual([
      ['api_key_id = $3'],
      ['k'],
    ]);
    expect(conditions(OWNER)).toEqual([[], []]);
  });
});
