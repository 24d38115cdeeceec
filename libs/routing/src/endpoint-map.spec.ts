import { createRoutingState } from './index';
import { EndpointMap } from './endpoint-map';

const START_MS = 1_000_000;

describe('EndpointMap', () => {
  it('keeps the entries of a small workspace when another workspace exceeds the capacity', () => {
    const known = new EndpointMap<number>(100);
    for (let at = 0; at < 5; at += 1) known.set(`small/${String(at)}`, at);
    for (let at = 0; at < 10_000; at += 1) known.set(`large/${String(at)}`, at);
    expect(known.size).toBe(100);
    expect([0, 1, 2, 3, 4].map((at) => known.get(`small/${String(at)}`))).toEqual([0, 1, 2, 3, 4]);
    expect([known.get('large/0'), known.get('large/9999')]).toEqual([undefined, 9_999]);
  });

  it('drops the oldest entry of the workspace at its capacity, and frees room when entries are deleted', () => {
    const known = new EndpointMap<number>(2);
    for (const key of ['w/a', 'w/b', 'w/a', 'w/c']) known.set(key, 1);
    expect([...known.entries()].map(([key]) => key)).toEqual(['w/b', 'w/c']);
    known.delete('w/b');
    known.delete('w/b');
    known.set('v/d', 2);
    expect([...known.entries()].map(([key]) => key)).toEqual(['w/c', 'v/d']);
  });

  it('keeps the marks, statistics and hedge budgets of a workspace when another one fills the routing state', () => {
    const { health, statistics, hedges } = createRoutingState({ capacity: 10 });
    const mine = 'mine/endpoint/';
    const touch = (endpoint: string): void => {
      health.mark(endpoint, 'rate_limited', START_MS + 1_000, START_MS);
      statistics.cost(endpoint, 7);
      hedges.earn(endpoint, 0);
    };
    touch(mine);
    for (let at = 0; at < 1_000; at += 1) touch(`theirs/${String(at)}/`);
    expect(health.markOf(mine, START_MS)).toBe('rate_limited');
    expect(statistics.costOf(mine)).toBe(7);
    expect(hedges.take({ payer: mine, price: 1 })).toBe(true);
  });

  it('keeps the retry budget of a workspace when another one has used up its own', () => {
    const { retries } = createRoutingState({ retries: { savedMax: 3, floorPerSecond: 0 } });
    for (let at = 0; at < 1_000; at += 1) retries.of('theirs').take(START_MS);
    expect(retries.of('theirs').take(START_MS)).toBe(false);
    expect(retries.of('mine').take(START_MS)).toBe(true);
  });
});
