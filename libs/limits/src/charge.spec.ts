import type { Usage } from '@gw/contracts';
import fc from 'fast-check';
import { judgeUsage, postingsOf, settledOf } from './charge';
import { createTokenEstimator, estimateOf } from './estimate';

const usage = (over: object = {}): Usage => ({
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
  ...over,
});
const ESTIMATE = { cost: 700, tokens: 70 };

describe('what is charged', () => {
  it('is what the provider counted', () => {
    expect(settledOf(usage(), 123, ESTIMATE)).toEqual({
      charge: { cost: 123, tokens: 15, requests: 1 },
      flags: [],
    });
  });

  it.each([-5, 1e308, '5', 1.5, NaN])(
    'bud-24: is the estimate, flagged, for a usage of %p',
    (outputTokens) => {
      expect(judgeUsage(usage({ outputTokens })).kind).toBe('absurd');
      expect(settledOf(usage({ outputTokens }), 123, ESTIMATE)).toEqual({
        charge: { ...ESTIMATE, requests: 1 },
        flags: ['estimated'],
      });
    },
  );

  it('is the estimate for an answer that was cut before its counts came: it was not free', () => {
    expect(settledOf(null, null, ESTIMATE).charge.cost).toBe(700);
  });

  it('bud-05: counts tokens and requests of a model without a price, and says so', () => {
    expect(settledOf(usage(), null, { cost: null, tokens: 70 })).toEqual({
      charge: { cost: null, tokens: 15, requests: 1 },
      flags: ['unpriced'],
    });
  });

  it('is entered twice, so that the books always add up to 0', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.array(fc.string(), { maxLength: 6 }), (cost, tokens, keys) => {
        const counters = keys.map((key, period) => [key, period] as const);
        const charge = { line: 'fallback', provider: 'openai', requests: 1, flags: [] } as const;
        const postings = postingsOf({ ...charge, counters, cost, tokens }, 0);
        expect(postings.reduce((sum, posting) => sum + posting.requests, 0)).toBe(0);
        expect(postings.reduce((sum, posting) => sum + posting.cost, 0)).toBe(0);
        expect(postings.reduce((sum, posting) => sum + posting.tokens, 0)).toBe(0);
        expect(postings.filter(({ account }) => account.startsWith('limit:'))).toHaveLength(counters.length);
      }),
    );
  });
});

describe('what is reserved', () => {
  const size = { bytes: 300, maxOutputTokens: null, model: 'openai/gpt-4o' };

  it('is the size of the input and max_tokens, or less where the model answers in less', () => {
    const estimator = createTokenEstimator();
    expect(estimator.likely({ ...size, maxOutputTokens: 20 })).toEqual({ input: 100, output: 20 });
    expect(estimator.likely({ ...size, maxOutputTokens: 100_000 })).toEqual({ input: 100, output: 100_000 });
    expect(estimator.likely(size)).toEqual({ input: 100, output: 1_024 });
    expect(estimator.most({ ...size, maxOutputTokens: 100_000 })).toEqual({ input: 300, output: 100_000 });
    expect(estimateOf(estimator.likely(size), ({ input, output }) => input + 3 * output)).toEqual({
      cost: 100 + 3 * 1_024,
      tokens: 1_124,
    });
  });

  it('is no more than a model was seen to answer, once it has answered', () => {
    const estimator = createTokenEstimator();
    estimator.learn(size.model, 50);
    expect(estimator.likely({ ...size, maxOutputTokens: 100_000 })).toEqual({ input: 100, output: 50 });
  });

  it('learns what 95 of 100 answers of a model do not pass', () => {
    const estimator = createTokenEstimator();
    for (let at = 0; at < 20_000; at += 1) estimator.learn('m', (at * 7_919) % 1_000);
    const { output } = estimator.likely({ ...size, model: 'm' });
    expect(output).toBeGreaterThan(900);
    expect(output).toBeLessThan(1_000);
    estimator.learn('m', -5);
    estimator.learn('m', Infinity);
    expect(estimator.likely({ ...size, model: 'm' }).output).toBe(output);
  });

  it('forgets the model that was used longest ago, past its cap', () => {
    const estimator = createTokenEstimator(2);
    for (const model of ['a', 'b', 'c']) estimator.learn(model, 10);
    expect(estimator.likely({ ...size, model: 'a' }).output).toBe(1_024);
    expect(estimator.likely({ ...size, model: 'c' }).output).toBe(10);
  });
});
