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

describe('settledOf and postingsOf', () => {
  it("charges the provider's price and token counts", () => {
    expect(settledOf(usage(), 123, ESTIMATE)).toEqual({
      charge: { cost: 123, tokens: 15, requests: 1 },
      flags: [],
    });
  });

  it.each([-5, 1e308, '5', 1.5, NaN])(
    'charges the estimate and flags it when the provider reports %p output tokens [bud-24]',
    (outputTokens) => {
      expect(judgeUsage(usage({ outputTokens })).kind).toBe('absurd');
      expect(settledOf(usage({ outputTokens }), 123, ESTIMATE)).toEqual({
        charge: { ...ESTIMATE, requests: 1 },
        flags: ['estimated'],
      });
    },
  );

  it('charges the estimate for a response that was cut before its counts arrived, because it was not free', () => {
    expect(settledOf(null, null, ESTIMATE).charge.cost).toBe(700);
  });

  it('counts tokens and requests of a model without a price, and flags the charge as unpriced [bud-05]', () => {
    expect(settledOf(usage(), null, { cost: null, tokens: 70 })).toEqual({
      charge: { cost: null, tokens: 15, requests: 1 },
      flags: ['unpriced'],
    });
  });

  it('posts a double entry that adds up to 0', () => {
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

describe('TokenEstimator', () => {
  const ONE = { bound: null, thinking: 0, choices: 1, prompts: 1 };
  const tenant = { workspaceId: 'w', organisationId: 'o' };
  const source = { tenant, key: 'provider gpt-4o' };
  const size = { bytes: 300, requested: ONE, modelMax: 128_000, source };
  const bounded = (bound: number, more: object = {}) => ({ ...size, requested: { ...ONE, bound, ...more } });

  it('estimates input tokens by the size of the body and output tokens by max_tokens', () => {
    const estimator = createTokenEstimator();
    expect(estimator.likely(bounded(20))).toEqual({ input: 100, output: 20 });
    expect(estimator.likely(bounded(100_000))).toEqual({ input: 100, output: 100_000 });
    expect(estimator.likely(size)).toEqual({ input: 100, output: 1_024 });
    expect(estimator.most(bounded(100_000))).toEqual({ input: 300, output: 100_000 });
    expect(estimateOf(estimator.likely(size), ({ input, output }) => input + 3 * output)).toEqual({
      cost: 100 + 3 * 1_024,
      tokens: 1_124,
    });
  });

  it("estimates a model's learned response size when max_tokens is larger", () => {
    const estimator = createTokenEstimator();
    estimator.learn(size, 50);
    expect(estimator.likely(bounded(100_000))).toEqual({ input: 100, output: 50 });
  });

  it("learns the 95th percentile of a model's response sizes", () => {
    const estimator = createTokenEstimator();
    for (let at = 0; at < 20_000; at += 1) estimator.learn(size, (at * 7_919) % 1_000);
    const { output } = estimator.likely(size);
    expect(output).toBeGreaterThan(900);
    expect(output).toBeLessThan(1_000);
    estimator.learn(size, -5);
    estimator.learn(size, Infinity);
    expect(estimator.likely(size).output).toBe(output);
  });

  it('counts every requested choice, with a bound and without one', () => {
    const estimator = createTokenEstimator();
    const many = { choices: 20, prompts: 3 };
    expect(estimator.likely(bounded(10, many)).output).toBe(600);
    expect(estimator.most(bounded(10, many)).output).toBe(600);
    expect(estimator.most({ ...size, requested: { ...ONE, choices: 100 } }).output).toBe(409_600);
    estimator.learn(bounded(1_000, many), 6_000);
    expect(estimator.likely(size).output).toBe(100);
  });

  it('counts reasoning within a bound, and on top of the usual response without one', () => {
    const estimator = createTokenEstimator();
    expect(estimator.most(bounded(5_000, { thinking: 4_000 })).output).toBe(5_000);
    expect(estimator.most(bounded(5_000, { thinking: 9_000 })).output).toBe(9_000);
    expect(estimator.most({ ...size, requested: { ...ONE, thinking: 9_000 } }).output).toBe(13_096);
  });

  it('never estimates more than the request and the model allow, whatever sizes it has learned', () => {
    const estimator = createTokenEstimator();
    for (let at = 0; at < 700; at += 1) estimator.learn(size, 90_000_000);
    expect(estimator.likely(size).output).toBe(128_000);
    expect(estimator.likely(bounded(500)).output).toBe(500);
    expect(estimator.likely(bounded(999_999_999)).output).toBe(128_000);
    const unknown = { ...size, modelMax: null, source: { tenant, key: 'provider unknown' } };
    for (let at = 0; at < 700; at += 1) estimator.learn(unknown, 90_000_000);
    expect(estimator.likely(unknown).output).toBe(4_096);
    expect(estimator.likely({ ...unknown, requested: { ...ONE, bound: Infinity } }).output).toBe(4_096);
  });

  it('does not let short responses lower the estimate for a strict limit below the usual response', () => {
    const estimator = createTokenEstimator();
    for (let at = 0; at < 700; at += 1) estimator.learn(size, 0);
    expect(estimator.likely(size).output).toBe(1);
    expect(estimator.most(size).output).toBe(4_096);
  });

  it('learns nothing without a source, and learns each source separately', () => {
    const estimator = createTokenEstimator();
    estimator.learn({ ...size, source: null }, 7);
    estimator.learn({ ...size, source: { tenant, key: 'another gpt-4o' } }, 7);
    expect(estimator.likely(size).output).toBe(1_024);
  });

  it('forgets only sources of the workspace that has too many', () => {
    const estimator = createTokenEstimator(4_096);
    estimator.learn(size, 10);
    const many = (at: number) => ({
      ...size,
      source: { tenant: { workspaceId: 'x', organisationId: 'y' }, key: `other ${String(at)}` },
    });
    for (let at = 0; at < 5_000; at += 1) estimator.learn(many(at), 20);
    expect(estimator.likely(size).output).toBe(10);
    expect(estimator.likely(many(4_999)).output).toBe(20);
    expect(estimator.likely(many(0)).output).toBe(1_024);
  });
});
