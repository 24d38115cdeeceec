import { lossHeader, LossLedger } from './losses';
import { targetOf } from './target';

describe('LossLedger', () => {
  it('truncates a long path, but not within a character', () => {
    const target = targetOf({ provider: 'mistral', dialect: 'mistral', model: 'm', traits: {} });
    const losses = new LossLedger('adapt', target);
    losses.note('x'.repeat(257));
    losses.note(`${'x'.repeat(254)}👩xx`);
    expect(losses.losses.map(({ path }) => path)).toEqual([`${'x'.repeat(255)}…`, `${'x'.repeat(254)}…`]);
  });
});

describe('lossHeader', () => {
  it('keeps names of members from ending the line or the entry', () => {
    const losses = [{ path: 'a\r\nx-made: 1,b=c;"é', code: 'dropped' } as const];
    expect(lossHeader(losses)).toBe('a??x-made:?1?b?c???=dropped');
  });
});
