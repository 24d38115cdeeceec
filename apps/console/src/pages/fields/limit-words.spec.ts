import { amountWords, budgetWords, leftWords, type UsageLimit } from './limit-words';

describe('amountWords', () => {
  it.each([
    ['cost', '$1,500.00'],
    [undefined, '$1,500.00'],
    ['tokens', '1,500 tokens'],
    ['requests', '1,500 requests'],
  ])('names the unit of a budget of type %s', (type, words) => {
    expect(amountWords(type, 1500)).toBe(words);
  });
});

describe('budgetWords and leftWords', () => {
  const limit = { type: 'requests', credit_limit: 500, current_usage: 120, periodic_reset: 'weekly' };

  it('count the requests of a policy as requests', () => {
    expect(budgetWords(limit as UsageLimit)).toBe('500 requests a week');
    expect(leftWords(limit as UsageLimit)).toBe('380 requests left');
  });
});
