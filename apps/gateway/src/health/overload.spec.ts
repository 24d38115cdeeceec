import { memoryCaps } from './memory-caps';
import { Overload, type Pressure } from './overload';

const GIB = 1_073_741_824;
const CALM: Pressure = { memory: 0.2, heap: 0.2, delayMs: 0 };

describe('Overload', () => {
  let pressure: Pressure;
  let overload: Overload;
  const levelAt = (over: Partial<Pressure>): number => {
    pressure = { ...CALM, ...over };
    overload.look();
    return overload.level;
  };
  const isRefused = (length: number | null): boolean => {
    try {
      overload.refuse(length);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ type: 'unavailable', options: { headers: { 'retry-after': '2' } } });
      return true;
    }
  };

  beforeEach(() => {
    overload = new Overload(() => pressure);
  });

  it.each([
    ['memory', 0.8, 0.9, 0.7, 0.6],
    ['heap', 0.85, 0.95, 0.75, 0.6],
    ['delayMs', 1_500, 4_000, 500, 200],
  ] as const)(
    'refuses large bodies, then all requests, as %s approaches its bound',
    (kind, one, two, between, calm) => {
      expect([levelAt({}), isRefused(null)]).toEqual([0, false]);
      expect([levelAt({ [kind]: one }), isRefused(1_000), isRefused(10_000_000), isRefused(null)]).toEqual([
        1,
        false,
        true,
        true,
      ]);
      expect([levelAt({ [kind]: two }), isRefused(0)]).toEqual([2, true]);
      // Between the two bounds of a level, the current level stays.
      expect([levelAt({ [kind]: between }), levelAt({ [kind]: calm }), levelAt({ [kind]: between })]).toEqual(
        [1, 0, 0],
      );
      expect(overload.refused).toBe(3);
    },
  );

  it('reports in health which requests are refused', () => {
    levelAt({ memory: 0.8 });
    expect(overload.part.check()).toMatchObject({
      status: 'degraded',
      reason: 'The process is near its resource limits. Large bodies are refused.',
      figures: { memory: 0.8 },
    });
    levelAt({});
    expect(overload.part.check()).toMatchObject({ status: 'ok' });
  });
});

describe('memory caps', () => {
  const NONE = {
    MAX_BODY_MEMORY: null,
    READ_MODEL_MAX_BYTES: null,
    CACHE_MAX_BYTES: null,
    IDEMPOTENCY_MAX_BYTES: null,
  };
  const sumOf = (caps: Record<string, number>): number =>
    Object.values(caps).reduce((sum, cap) => sum + cap, 0);

  it('use less than half of a container of 1 GiB, and never exceed their largest values', () => {
    expect(sumOf(memoryCaps(NONE, GIB))).toBeLessThan(GIB / 2);
    expect(sumOf(memoryCaps(NONE, 64 * GIB))).toBe(960 * 1_048_576);
  });

  it('keep the values that are set', () => {
    expect(memoryCaps({ ...NONE, CACHE_MAX_BYTES: 5 * GIB }, GIB).CACHE_MAX_BYTES).toBe(5 * GIB);
  });
});
