import type { Ending } from './child';
import { SupervisedProcess, type Running } from './supervised-process';

const crash: Ending = { reason: 'exit code 1', deliberate: false };

/** Simulated runs of a process; each ends when the test calls `end`. */
class Runs {
  readonly lines: string[] = [];
  /** Process ids in the order in which they were reported. */
  readonly pids: (number | null)[] = [];
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
      changed: () => this.pids.push(this.process.pid),
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
  it('restarts a crashed process after a pause', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end(crash);
    expect(runs.count).toBe(1);
    await jest.advanceTimersByTimeAsync(200);
    expect([runs.count, runs.process.pid]).toEqual([2, 2]);
    expect(runs.lines).toEqual(['thing ended (exit code 1): its last words; starting it again.']);
  });

  it('keeps restarting a process that fails to start, at most every five seconds, and reports each reason', async () => {
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

  it('runs one process when a start is requested during a restart', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end(crash);
    await runs.process.start();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([runs.count, runs.process.pid]).toEqual([2, 2]);
  });

  it('can be started again after a failed start', async () => {
    const runs = new Runs((run) => run === 1);
    await expect(runs.process.start()).rejects.toThrow('failed to start');
    await runs.process.start();
    expect(runs.process.pid).toBe(2);
  });

  it('reports that it has no process id after a failed start and between restarts', async () => {
    const runs = new Runs((run) => run === 1 || run === 3);
    await expect(runs.process.start()).rejects.toThrow('failed to start');
    expect(runs.pids).toEqual([1, null]);
    await runs.process.start();
    await runs.end(crash);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(runs.pids).toEqual([1, null, 2, null, 3, null, 4]);
  });

  it('does not restart a process that was stopped during a restart', async () => {
    const runs = new Runs((run) => run > 1, { reason: 'signal SIGTERM', deliberate: true });
    await runs.process.start();
    await runs.end(crash);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([runs.count, runs.process.pid]).toEqual([2, null]);
    expect(runs.lines.at(-1)).toContain('was stopped from outside (signal SIGTERM)');
  });

  it('resets the pause after a run of a minute', async () => {
    const runs = new Runs();
    await runs.process.start();
    for (let crashes = 0; crashes < 10; crashes += 1) {
      await jest.advanceTimersByTimeAsync(70_000);
      await runs.end(crash);
    }
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs.count).toBe(11);
  });

  it('fails a first start with the last line of the process', async () => {
    const runs = new Runs(() => true);
    await expect(runs.process.start()).rejects.toThrow('thing failed to start (exit code 1): its last words');
  });

  it('does not restart a process that an operator stopped, until its start is requested', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end({ reason: 'exit code 0', deliberate: true });
    await jest.advanceTimersByTimeAsync(60_000);
    expect([runs.count, runs.process.pid]).toEqual([1, null]);
    await runs.process.start();
    expect(runs.process.pid).toBe(2);
  });

  it('restarts nothing once it is being stopped', async () => {
    const runs = new Runs();
    await runs.process.start();
    await runs.end(crash);
    await runs.process.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(runs.count).toBe(1);
  });
});
