import type { Ending } from './child';
import { SupervisedProcess, type Running } from './supervised-process';

const crash: Ending = { reason: 'exit code 1', deliberate: false };

/** Runs of a process that exists only here; each ends when the test says so. */
class Runs {
  readonly lines: string[] = [];
  readonly process: SupervisedProcess;
  count = 0;
  private finish: ((ending: Ending) => void) | undefined;

  constructor(
    private readonly fails: (run: number) => boolean = () => false,
    private readonly failure: Ending = crash,
  ) {
    this.process = new SupervisedProcess({
      name: 'thing',
      launch: () => this.launch(),
      ready: () => (this.fails(this.count) ? new Promise(() => undefined) : Promise.resolve()),
      lastMessage: () => 'its last words',
      report: (line) => this.lines.push(line),
      changed: () => undefined,
    });
  }

  async end(ending: Ending): Promise<void> {
    this.finish?.(ending);
    await jest.advanceTimersByTimeAsync(0);
  }

  private launch(): Running {
    this.count += 1;
    const ended = new Promise<Ending>((resolve) => (this.finish = resolve));
    if (this.fails(this.count)) this.finish?.(this.failure);
    return {
      pid: this.count,
      ended,
      stop: () => {
        this.finish?.({ reason: 'signal SIGTERM', deliberate: true });
        return Promise.resolve();
      },
    };
  }
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('SupervisedProcess', () => {
  it('starts a crashed process again, after a pause', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end(crash);
    expect(runs.count).toBe(1);
    await jest.advanceTimersByTimeAsync(200);
    expect([runs.count, runs.process.pid]).toEqual([2, 2]);
    expect(runs.lines).toEqual(['thing ended (exit code 1): its last words; starting it again.']);
  });

  it('goes on starting what fails to start again, five seconds apart at most, and says why each time', async () => {
    const runs = new Runs((run) => run > 1 && run < 12);
    await runs.process.start();
    await runs.end(crash);
    const pauses = [0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5, 5, 5, 5];
    for (const [at, seconds] of pauses.entries()) {
      await jest.advanceTimersByTimeAsync(seconds * 1_000 - 1);
      expect(runs.count).toBe(at + 1);
      await jest.advanceTimersByTimeAsync(1);
      expect(runs.count).toBe(at + 2);
    }
    expect(runs.process.pid).toBe(12);
    expect(runs.lines.at(-1)).toBe('thing failed to start (exit code 1): its last words; starting it again.');
  });

  it('runs once, though its start is requested while it is starting again', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end(crash);
    await runs.process.start();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([runs.count, runs.process.pid]).toEqual([2, 2]);
  });

  it('can be started again after a start that failed', async () => {
    const runs = new Runs((run) => run === 1);
    await expect(runs.process.start()).rejects.toThrow('failed to start');
    await runs.process.start();
    expect(runs.process.pid).toBe(2);
  });

  it('leaves a process ended that was stopped while it was starting again', async () => {
    const runs = new Runs((run) => run > 1, { reason: 'signal SIGTERM', deliberate: true });
    await runs.process.start();
    await runs.end(crash);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([runs.count, runs.process.pid]).toEqual([2, null]);
    expect(runs.lines.at(-1)).toContain('was stopped from outside (signal SIGTERM)');
  });

  it('counts from the start again once a run has lasted a minute', async () => {
    const runs = new Runs();
    await runs.process.start();
    for (let crashes = 0; crashes < 10; crashes += 1) {
      await jest.advanceTimersByTimeAsync(70_000);
      await runs.end(crash);
    }
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs.count).toBe(11);
  });

  it('fails a first start with what the process wrote last', async () => {
    const runs = new Runs(() => true);
    await expect(runs.process.start()).rejects.toThrow('thing failed to start (exit code 1): its last words');
  });

  it('leaves a process alone that an operator has stopped, until it is started again', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end({ reason: 'exit code 0', deliberate: true });
    await jest.advanceTimersByTimeAsync(60_000);
    expect([runs.count, runs.process.pid]).toEqual([1, null]);
    await runs.process.start();
    expect(runs.process.pid).toBe(2);
  });

  it('starts nothing again once it is being stopped', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end(crash);
    await runs.process.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(runs.count).toBe(1);
  });
});
