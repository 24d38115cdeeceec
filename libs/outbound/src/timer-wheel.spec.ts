import { until } from './spec-support/loopback';
import { TimerWheel, WheelEntry } from './timer-wheel';

class Probe extends WheelEntry {
  firedAt: number | null = null;
  override onDue(): void {
    this.firedAt = performance.now();
  }
}

describe('TimerWheel', () => {
  afterEach(() => jest.useRealTimers());

  it('calls each entry after its time and within two ticks of it, in any order of scheduling', () => {
    jest.useFakeTimers();
    const wheel = new TimerWheel();
    const begin = performance.now();
    const delays = [90, 5, 40, 40, 0, -10, 120, 15];
    const probes = delays.map((delay) => {
      const probe = new Probe();
      wheel.schedule(probe, begin + delay);
      return probe;
    });
    jest.advanceTimersByTime(200);
    for (const [index, { firedAt }] of probes.entries()) {
      const late = (firedAt ?? NaN) - begin - Math.max(0, delays[index] ?? 0);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(20);
    }
    expect(wheel.running).toBe(false);
  });

  it('does not call an entry that was cancelled, or moved to a later time', async () => {
    const wheel = new TimerWheel();
    const begin = performance.now();
    const [cancelled, moved, last] = [new Probe(), new Probe(), new Probe()];
    wheel.schedule(cancelled, begin + 20);
    wheel.schedule(moved, begin + 20);
    wheel.schedule(moved, begin + 80);
    wheel.schedule(last, begin + 40);
    wheel.cancel(cancelled);
    wheel.cancel(cancelled);
    expect(wheel.entries).toBe(2);
    await until(() => last.firedAt !== null);
    await until(() => moved.firedAt !== null);
    expect(moved.firedAt).toBeGreaterThanOrEqual(begin + 80);
    expect(cancelled.firedAt).toBeNull();
  });

  it('keeps an entry for more than one rotation, and stops its timer after the last entry', async () => {
    const wheel = new TimerWheel();
    const [far, near] = [new Probe(), new Probe()];
    wheel.schedule(far, performance.now() + 3_600_000);
    wheel.schedule(near, performance.now() + 20);
    await until(() => near.firedAt !== null);
    expect(wheel).toMatchObject({ entries: 1, running: true });
    wheel.cancel(far);
    await until(() => !wheel.running);
    expect(far.firedAt).toBeNull();
  });
});
