import type { BreakerSettings } from '@gw/config-schema';
import fc from 'fast-check';
import type { CompiledBreaker } from './compile/compiled';
import { compileConfig } from './config-language';
import { Breaker, isBreakerFailure } from './index';
import { responded, failed } from './spec-support/play';

const rulesOf = (cb_config: BreakerSettings): CompiledBreaker =>
  compileConfig({ strategy: { mode: 'single', cb_config }, targets: [{ provider: 'x' }] }).targets[0]
    ?.breaker as CompiledBreaker;

const START_MS = 1_000_000;
const COOLDOWN_MS = 1_000;
const FAIL = true;
const OK = false;

/** Records calls at one time and returns the transitions of the breaker. */
const calls = (
  breaker: Breaker,
  rules: CompiledBreaker,
  list: readonly boolean[],
  nowMs = START_MS,
): unknown[] => list.map((isFailure) => breaker.record(rules, isFailure, false, nowMs));

describe('isBreakerFailure', () => {
  const rules = rulesOf({ failure_threshold: 1 });

  it.each([500, 502, 503, 529])('counts a response with %d as a failure', (status) => {
    expect(isBreakerFailure(responded(status), rules)).toBe(true);
  });

  it.each([200, 246, 400, 401, 404, 429, 446])('does not count a response with %d as a failure', (status) => {
    expect(isBreakerFailure(responded(status), rules)).toBe(false);
  });

  it.each(['timeout', 'unreachable', 'interrupted', 'cut'] as const)(
    'counts a call that ended as %s as a failure',
    (failure) => {
      expect(isBreakerFailure(failed(failure), rules)).toBe(true);
    },
  );

  it.each(['refused', 'denied'] as const)(
    'returns null after %s, which says nothing about the target',
    (failure) => {
      expect(isBreakerFailure(failed(failure, 500), rules)).toBeNull();
    },
  );

  it('uses the listed statuses instead of 500 and above, and counts a response that took too long', () => {
    const own = rulesOf({ failure_threshold: 1, failure_status_codes: [429], slow_call_duration: 100 });
    expect(isBreakerFailure(responded(429), own)).toBe(true);
    expect(isBreakerFailure(responded(500), own)).toBe(false);
    expect(isBreakerFailure(responded(200, null, 100), own)).toBe(false);
    expect(isBreakerFailure(responded(200, null, 101), own)).toBe(true);
  });

  it('counts a stream with too few tokens per second, and none whose speed is unknown', () => {
    const own = rulesOf({ failure_threshold: 1, slow_stream_speed: 20 });
    const verdicts = [19.9, 20, null].map((speed) => isBreakerFailure({ ...responded(200), speed }, own));
    expect([...verdicts, isBreakerFailure(responded(200), own)]).toEqual([true, false, false, false]);
  });
});

describe('Breaker', () => {
  it('opens at the configured number of failures within the window', () => {
    const rules = rulesOf({ failure_threshold: 3, window: 10_000 });
    const breaker = new Breaker();
    expect(calls(breaker, rules, [FAIL, OK, FAIL, OK, FAIL])).toEqual([null, null, null, null, 'opened']);
    expect(breaker.admits(rules, START_MS)).toBe(false);
  });

  it('forgets failures older than the window', () => {
    const rules = rulesOf({ failure_threshold: 2, window: 10_000 });
    const breaker = new Breaker();
    for (let call = 0; call < 10; call++) {
      expect(calls(breaker, rules, [FAIL], START_MS + call * 10_000)).toEqual([null]);
    }
    expect(calls(breaker, rules, [FAIL], START_MS + 94_000)).toEqual(['opened']);
  });

  it('opens at the configured percentage of failures once there are minimum_requests', () => {
    const rules = rulesOf({ failure_threshold_percentage: 50, minimum_requests: 4 });
    expect(calls(new Breaker(), rules, [FAIL, FAIL, FAIL, OK])).toEqual([null, null, null, null]);
    expect(calls(new Breaker(), rules, [FAIL, FAIL, FAIL, FAIL])).toEqual([null, null, null, 'opened']);
    expect(calls(new Breaker(), rules, [OK, OK, OK, FAIL, FAIL])).toEqual([null, null, null, null, null]);
    expect(calls(new Breaker(), rules, [OK, OK, FAIL, FAIL])).toEqual([null, null, null, 'opened']);
  });

  it('opens at the configured number of consecutive failures', () => {
    const rules = rulesOf({ consecutive_failures: 2 });
    expect(calls(new Breaker(), rules, [FAIL, OK, FAIL, OK, FAIL, FAIL])).toEqual([
      ...[null, null, null, null, null],
      'opened',
    ]);
  });

  it('lets one probe through after the cooldown, and closes when it succeeds', () => {
    const rules = rulesOf({ consecutive_failures: 1, cooldown_interval: 1000 });
    const breaker = new Breaker();
    calls(breaker, rules, [FAIL]);
    expect(breaker.enter(rules, START_MS + 999)).toBe('rejected');
    expect(breaker.phase(START_MS + 1000)).toBe('half_open');
    expect(breaker.enter(rules, START_MS + 1000)).toBe('probe');
    expect(breaker.enter(rules, START_MS + 1000)).toBe('rejected');
    expect(breaker.record(rules, OK, true, START_MS + 1001)).toBe('closed');
    expect(breaker.enter(rules, START_MS + 1001)).toBe('passed');
    expect(calls(breaker, rules, [OK], START_MS + 1001)).toEqual([null]);
  });

  it('opens again when a probe fails', () => {
    const rules = rulesOf({ consecutive_failures: 1, cooldown_interval: 1000, half_open_requests: 2 });
    const breaker = new Breaker();
    calls(breaker, rules, [FAIL]);
    expect([1, 2, 3].map(() => breaker.enter(rules, START_MS + 1000))).toEqual([
      'probe',
      'probe',
      'rejected',
    ]);
    expect(breaker.record(rules, OK, true, START_MS + 1001)).toBeNull();
    expect(breaker.record(rules, FAIL, true, START_MS + 1002)).toBe('opened');
    expect(breaker.enter(rules, START_MS + 2001)).toBe('rejected');
    expect(breaker.enter(rules, START_MS + 2002)).toBe('probe');
  });

  it('closes after half_open_requests successful probes', () => {
    const rules = rulesOf({ consecutive_failures: 1, cooldown_interval: 1000, half_open_requests: 2 });
    const breaker = new Breaker();
    calls(breaker, rules, [FAIL]);
    breaker.enter(rules, START_MS + 1000);
    expect(breaker.record(rules, OK, true, START_MS + 1001)).toBeNull();
    expect(breaker.enter(rules, START_MS + 1001)).toBe('probe');
    expect(breaker.record(rules, OK, true, START_MS + 1002)).toBe('closed');
  });

  it('admits another probe when one was released, or was not reported for a cooldown', () => {
    const rules = rulesOf({ consecutive_failures: 1, cooldown_interval: 1000 });
    const breaker = new Breaker();
    calls(breaker, rules, [FAIL]);
    breaker.enter(rules, START_MS + 1000);
    breaker.release();
    expect(breaker.enter(rules, START_MS + 1001)).toBe('probe');
    expect(breaker.enter(rules, START_MS + 2000)).toBe('rejected');
    expect(breaker.enter(rules, START_MS + 2001)).toBe('probe');
    expect(breaker.enter(rules, START_MS + 2001)).toBe('rejected');
  });

  it('learns nothing from calls that started before it opened', () => {
    const rules = rulesOf({ consecutive_failures: 1, cooldown_interval: 1000 });
    const breaker = new Breaker();
    calls(breaker, rules, [FAIL]);
    expect(calls(breaker, rules, [OK, FAIL], START_MS + 500)).toEqual([null, null]);
    expect(calls(breaker, rules, [OK, FAIL], START_MS + 1500)).toEqual([null, null]);
    expect(breaker.phase(START_MS + 1500)).toBe('half_open');
  });

  it('does not stay open longer because the clock was set back', () => {
    const rules = rulesOf({ consecutive_failures: 1, cooldown_interval: 1000 });
    const breaker = new Breaker();
    calls(breaker, rules, [FAIL]);
    expect(breaker.enter(rules, START_MS - 3_600_000)).toBe('probe');
  });

  it('never lets more probes of one cooldown through at the same time than allowed, and never gets stuck, for any sequence of events', () => {
    const action = fc.record({
      wait: fc.integer({ min: 0, max: 700 }),
      act: fc.constantFrom('enter', 'ok', 'fail', 'release'),
    });
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        (actions, probesMax) => {
          const rules = rulesOf({
            consecutive_failures: 2,
            cooldown_interval: COOLDOWN_MS,
            half_open_requests: probesMax,
          });
          const breaker = new Breaker();
          let nowMs = START_MS;
          let probesStartedMs: number[] = [];
          for (const { wait, act } of actions) {
            nowMs += wait;
            // A probe without a reported outcome stops counting after a cooldown.
            probesStartedMs = probesStartedMs.filter((startedMs) => nowMs - startedMs < COOLDOWN_MS);
            if (act === 'enter' && breaker.enter(rules, nowMs) === 'probe') probesStartedMs.push(nowMs);
            expect(probesStartedMs.length).toBeLessThanOrEqual(probesMax);
            if (act === 'release' && probesStartedMs.shift() !== undefined) breaker.release();
            if (act === 'ok' || act === 'fail') {
              const isProbe = probesStartedMs.shift() !== undefined;
              breaker.record(rules, act === 'fail', isProbe, nowMs);
            }
          }
          const later = nowMs + COOLDOWN_MS;
          const passed = Array.from({ length: 10 }, () => breaker.enter(rules, later));
          const phase = breaker.phase(later);
          expect(passed.filter((entry) => entry !== 'rejected')).toHaveLength(
            phase === 'closed' ? 10 : probesMax,
          );
        },
      ),
      { seed: 11, numRuns: 500 },
    );
  });
});
