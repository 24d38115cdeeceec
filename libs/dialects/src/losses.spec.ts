import { LossLedger } from './losses';
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
