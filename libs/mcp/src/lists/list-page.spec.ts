import { RING } from '../spec-support/endpoint';
import { faultOf } from '../spec-support/vectors';
import { listPage, UpstreamPages, type MemberList } from './list-page';

const OWNER = { list: 'tools/list s1', principal: 'p1', filter: 'f1' };
const LISTS: MemberList<string>[] = [
  { server: 'a', version: '1', items: ['a1', 'a2', 'a3'] },
  { server: 'b', version: '1', items: [] },
  { server: 'c', version: '1', items: ['c1', 'c2'] },
];
const page = (cursor: unknown, lists = LISTS, owner = OWNER, pageSize = 2) =>
  listPage(lists, { ring: RING, owner, pageSize, cursor });

describe('listPage', () => {
  it('returns every item once over all pages, in the order of members', () => {
    const first = page(undefined);
    const second = page(first.nextCursor);
    const third = page(second.nextCursor);
    expect([first, second, third].map(({ items }) => items)).toEqual([['a1', 'a2'], ['a3', 'c1'], ['c2']]);
    expect(third.nextCursor).toBeNull();
  });

  it('continues at the next member when the list of one changed meanwhile', () => {
    const { nextCursor } = page(undefined);
    const changed = LISTS.map((list) => (list.server === 'a' ? { ...list, version: '2' } : list));
    expect(page(nextCursor, changed)).toEqual({ items: ['c1', 'c2'], nextCursor: null });
  });

  it('refuses a cursor of another principal, list or filter, and a modified one', () => {
    const cursor = page(undefined).nextCursor ?? '';
    for (const owner of [
      { ...OWNER, principal: 'p2' },
      { ...OWNER, list: 'prompts/list s1' },
      { ...OWNER, filter: 'f2' },
    ])
      expect(faultOf(() => page(cursor, LISTS, owner))?.code).toBe(-32_602);
    for (const wrong of ['abc', `${cursor}A`, cursor.slice(1), 1, null, 'x'.repeat(10_000)])
      expect(faultOf(() => page(wrong))?.code).toBe(-32_602);
  });
});

describe('UpstreamPages', () => {
  it('ends at a repeated cursor', () => {
    const pages = new UpstreamPages<number>({ pagesMax: 100, itemsMax: 5_000 });
    expect(pages.add([1], 'x')).toBe('x');
    expect(pages.add([2], 'x')).toBeNull();
    expect([pages.items, pages.isCut]).toEqual([[1, 2], true]);
  });

  it('ends at the bounds of pages and items', () => {
    const few = new UpstreamPages<number>({ pagesMax: 2, itemsMax: 5 });
    expect([few.add([1], 'a'), few.add([2], 'b'), few.isCut]).toEqual(['a', null, true]);
    const large = new UpstreamPages<number>({ pagesMax: 10, itemsMax: 2 });
    expect([large.add([1, 2, 3], undefined), large.items, large.isCut]).toEqual([null, [1, 2], true]);
    const whole = new UpstreamPages<number>({ pagesMax: 10, itemsMax: 2 });
    expect([whole.add([1, 2], undefined), whole.isCut]).toEqual([null, false]);
  });
});
