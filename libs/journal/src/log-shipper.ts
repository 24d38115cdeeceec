import type { Journal } from './journal';
import type { LogSink } from './log-sink';
import { RateLimitedReport, type Problem } from './rate-limited-report';

export interface LogShipperOptions {
  /**
   * Maximum number of records in one batch, except that a larger block of the journal is a batch of
   * its own; 500 when absent. A block has records of one turn of the event loop.
   */
  readonly recordsMax?: number;
  /**
   * Maximum size of one batch in bytes, except that a larger block is a batch of its own; 1 MiB
   * when absent.
   */
  readonly bytesMax?: number;
  /**
   * Maximum time for which records wait for others, and the interval at which an idle journal is
   * polled; 200 ms when absent.
   */
  readonly intervalMs?: number;
  /**
   * Maximum pause after failures; each failure doubles the pause, starting from `intervalMs`. 5 s
   * when absent.
   */
  readonly backoffMaxMs?: number;
  readonly report?: (problem: Problem) => void;
}

export interface ShipperStats {
  /** Records that the sink has accepted since the start. */
  readonly shipped: number;
  readonly failedSends: number;
  /** Time of the first failure since the last success; null if the last send did not fail. */
  readonly failingSince: Date | null;
}

type Outcome = 'idle' | 'failed' | 'sent';

/**
 * Sends a journal's records to a sink, oldest first. Only one batch is in memory at a time. Records
 * wait until `bytesMax` of them are there or `intervalMs` has passed. A batch is acknowledged in the
 * journal after the sink accepted it, so that each record arrives at least once.
 */
export class LogShipper {
  private readonly recordsMax: number;
  private readonly bytesMax: number;
  private readonly intervalMs: number;
  private readonly backoffMaxMs: number;
  private readonly problems: RateLimitedReport;
  private running: Promise<void> | null = null;
  private stopping = false;
  private abandoned = false;
  private wake: () => void = () => undefined;
  private shipped = 0;
  private failedSends = 0;
  private failuresInRow = 0;
  private failingSince: Date | null = null;

  constructor(
    private readonly journal: Journal,
    private readonly sink: LogSink,
    options: LogShipperOptions = {},
  ) {
    this.recordsMax = options.recordsMax ?? 500;
    this.bytesMax = options.bytesMax ?? 1024 * 1024;
    this.intervalMs = options.intervalMs ?? 200;
    this.backoffMaxMs = options.backoffMaxMs ?? 5_000;
    this.problems = new RateLimitedReport(options.report ?? (() => undefined));
  }

  start(): void {
    this.running ??= this.run();
  }

  /**
   * Sends remaining records until one batch fails, for at most `drainMs`, then stops; the rest stays
   * in the journal for the next start.
   */
  async stop(drainMs: number): Promise<void> {
    if (!this.running) return;
    this.stopping = true;
    this.wake();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.abandoned = true;
        resolve();
      }, drainMs);
    });
    await Promise.race([this.running.then(() => this.drain()), tooLong]);
    clearTimeout(timer);
  }

  stats(): ShipperStats {
    return { shipped: this.shipped, failedSends: this.failedSends, failingSince: this.failingSince };
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      await this.shipOne();
      await this.pause();
    }
  }

  private async drain(): Promise<void> {
    while (!this.abandoned && (await this.shipOne()) === 'sent');
  }

  private async shipOne(): Promise<Outcome> {
    if (!this.journal.hasBacklog()) return 'idle';
    try {
      const batch = await this.journal.read(this.recordsMax, this.bytesMax);
      if (!batch) return 'idle';
      await this.sink.send(batch.bytes, batch.count);
      this.journal.acknowledge(batch.end);
      this.shipped += batch.count;
      this.failuresInRow = 0;
      this.failingSince = null;
      return 'sent';
    } catch (error) {
      this.failedSends += 1;
      this.failuresInRow += 1;
      this.failingSince ??= new Date();
      this.problems.add(
        'ship',
        1,
        `Log records could not be sent and wait in the journal: ${messageOf(error)}`,
      );
      return 'failed';
    }
  }

  private pause(): Promise<void> {
    if (this.stopping) return Promise.resolve();
    const exponent = Math.min(this.failuresInRow, 16);
    const longest = Math.min(this.intervalMs * 2 ** exponent, Math.max(this.backoffMaxMs, this.intervalMs));
    // Jitter keeps gateways that lost the same worker from returning all at the same time.
    const delay = this.failuresInRow === 0 ? longest : longest * (0.5 + Math.random() / 2);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.failuresInRow === 0) this.journal.whenBacklog(this.bytesMax, this.wake);
    });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
