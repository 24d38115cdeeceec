import { moderationVerdict } from './moderation';

describe('moderationVerdict', () => {
  it.each([
    [{ categories: { hate: false }, category_scores: { hate: 0.6 } }, true],
    [{ categories: { hate: true }, category_scores: { hate: 0.4 } }, false],
    [{ categories: { hate: true } }, true],
    [{ categories: { hate: false } }, false],
  ])('decides about %j by a threshold of 0.5 and, without a score, by the flag', (result, flagged) => {
    expect(moderationVerdict({ results: [result] }, { threshold: 0.5 })).toMatchObject({ flagged });
  });
});
