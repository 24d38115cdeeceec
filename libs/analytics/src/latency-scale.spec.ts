import fc from 'fast-check';
import { LATENCY_BOUNDS, LATENCY_ERROR_MAX, latencyBucket, latencyOfBucket } from './latency-scale';

describe('the latency scale', () => {
  it('is off by at most what it promises, for every latency from 0.1 ms to 10,000 s', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 1e7, noNaN: true }), (ms) => {
        expect(Math.abs(latencyOfBucket(latencyBucket(ms)) - ms) / ms).toBeLessThanOrEqual(LATENCY_ERROR_MAX);
      }),
    );
  });

  it('puts a latency between its bounds, whatever it is', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (ms) => {
        const bucket = latencyBucket(ms);
        expect(LATENCY_BOUNDS[bucket - 1] ?? -Infinity).toBeLessThanOrEqual(ms);
        expect(LATENCY_BOUNDS[bucket] ?? Infinity).toBeGreaterThan(ms === Infinity ? -1 : ms);
      }),
    );
  });

  it('has the bounds that stored histograms rest on', () => {
    expect(LATENCY_BOUNDS).toHaveLength(379);
    expect([LATENCY_BOUNDS[0], LATENCY_BOUNDS[100]]).toEqual([0.1, 0.1 * 1.05 ** 100]);
  });
});
