import fc from 'fast-check';
import { LATENCY_BOUNDS, LATENCY_ERROR_MAX, latencyBucket, latencyOfBucket } from './latency-scale';

describe('latencyBucket and latencyOfBucket', () => {
  it('approximate every latency from 0.1 ms to 10,000 s within LATENCY_ERROR_MAX', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 1e7, noNaN: true }), (ms) => {
        expect(Math.abs(latencyOfBucket(latencyBucket(ms)) - ms) / ms).toBeLessThanOrEqual(LATENCY_ERROR_MAX);
      }),
    );
  });

  it('put every latency into the bucket that contains it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (ms) => {
        const bucket = latencyBucket(ms);
        expect(LATENCY_BOUNDS[bucket - 1] ?? -Infinity).toBeLessThanOrEqual(ms);
        expect(LATENCY_BOUNDS[bucket] ?? Infinity).toBeGreaterThan(ms === Infinity ? -1 : ms);
      }),
    );
  });
});

describe('LATENCY_BOUNDS', () => {
  it('keeps the bounds of stored histograms', () => {
    expect(LATENCY_BOUNDS).toHaveLength(379);
    expect([LATENCY_BOUNDS[0], LATENCY_BOUNDS[100]]).toEqual([0.1, 0.1 * 1.05 ** 100]);
  });
});
