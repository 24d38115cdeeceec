import { FALLBACK_ROW, PLAIN_ROW } from '../spec-support/logs';
import { happenedIn } from './happened';

describe('happenedIn', () => {
  const second = { target_path: 'config.targets[1]' };
  it.each([
    ['an ordinary request', PLAIN_ROW, undefined],
    ['another target', FALLBACK_ROW, 'fallback'],
    ['a later target, by weight', { ...PLAIN_ROW, ...second }, 'targets[1]'],
    ['a hedged call that responded first', { ...PLAIN_ROW, ...second, hedged: true }, 'hedged'],
    ['a hedged call that lost', { ...PLAIN_ROW, hedged: true }, 'hedged'],
    ['a hedge before another target', { ...FALLBACK_ROW, hedged: true }, 'fallback'],
    ['retries of a hedged target', { ...PLAIN_ROW, hedged: true, retries: 1 }, 'hedged'],
    ['a cache hit', { ...PLAIN_ROW, hedged: true, cache_status: 'HIT' }, 'cache hit'],
    ['a failure after a hedge', { ...PLAIN_ROW, hedged: true, outcome: 'interrupted' }, 'interrupted'],
  ])('returns the badge for %s', (_, row, word) => {
    expect(happenedIn(row)?.word).toBe(word);
  });
});
