import type { Ending } from './child';
import { StartError } from './start-error';

/** A process that was started and is ready. */
export interface Running {
  readonly pid: number | undefined;
  readonly ended: Promise<Ending>;
  stop(): Promise<void>;
}

export interface SupervisedProcessOptions {
  readonly name: string;
  /** Starts the process; it may not be ready yet. */
  launch(): Running | Promise<Running>;
  /** Resolves when the process serves. Throws `StartError` if it does not within the time limit. */
  ready(running: Running): Promise<void>;
  /** Returns the last line of the process, which is shown when it ends. */
  lastMessage(): string;
  /** Prints one line for the operator. */
  report(line: string): void;
  /** Called when the process id has changed. Must not throw, and neither may the two above. */
  changed(): void;
}

/** Thrown when the process was stopped before it was ready. */
class StoppedFromOutside extends StartError {
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Duration in milliseconds after which a run counts as a success and the failure count restarts.
 */
const HEALTHY_AFTER_MS = 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Keeps one process running: restarts it after a crash, after 0.2 s, then after twice as long each
 * time, at most 5 s. It never gives up, because processes serve without each other and an outage
 * can take long. A failed first start is an error of `start`. A process that ended with exit code
 * 0, SIGTERM or SIGINT stays stopped until `start` is called again.
 */
export class SupervisedProcess {
  private running: Running | undefined;
  private launching: Promise<Running> | undefined;
  /** Whether the process runs or is being restarted. */
  private isKept = false;
  private stopping = false;

  constructor(private readonly options: SupervisedProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Process id; null while it does not run. */
  get pid(): number | null {
    return this.running?.pid ?? null;
  }

  /**
   * Resolves when the process serves. Throws `StartError`. Does nothing if it already runs or is
   * being restarted.
   */
  async start(): Promise<void> {
    if (this.isKept || this.stopping) return;
    this.isKept = true;
    try {
      void this.watch(await this.launch());
    } catch (error) {
      this.isKept = false;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running?.stop();
    // A process that is just being started is stopped by its start.
    await this.launching?.catch(() => undefined);
  }

  private launch(): Promise<Running> {
    this.launching = this.launchOnce().finally(() => {
      this.launching = undefined;
    });
    return this.launching;
  }

  private async launchOnce(): Promise<Running> {
    const running = await this.options.launch();
    this.running = running;
    this.options.changed();
    if (this.stopping) await running.stop();
    const early = running.ended.then(({ reason, deliberate }) => {
      const message = this.endedMessage('failed to start', reason);
      throw deliberate ? new StoppedFromOutside(reason, message) : new StartError(message);
    });
    try {
      await Promise.race([this.options.ready(running), early]);
    } catch (error) {
      early.catch(() => undefined);
      await running.stop();
      this.clear();
      throw error;
    }
    early.catch(() => undefined);
    return running;
  }

  private clear(): void {
    this.running = undefined;
    this.options.changed();
  }

  private async watch(first: Running): Promise<void> {
    let running = first;
    let failures = 0;
    for (;;) {
      const startedAt = Date.now();
      const { reason, deliberate } = await running.ended;
      this.clear();
      if (this.stopping) return;
      if (deliberate) {
        this.leaveStopped(reason);
        return;
      }
      if (Date.now() - startedAt > HEALTHY_AFTER_MS) failures = 0;
      const restarted = await this.restart(failures, reason);
      if (!restarted) return;
      ({ running, failures } = restarted);
    }
  }

  /**
   * Attempts until the process serves again. Returns null if it was stopped from outside or is
   * being stopped.
   */
  private async restart(
    failedBefore: number,
    why: string,
  ): Promise<{ running: Running; failures: number } | null> {
    let message = this.endedMessage('ended', why);
    for (let failures = failedBefore + 1; ; failures += 1) {
      this.options.report(`${message}; starting it again.`);
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS));
      if (this.stopping) return null;
      try {
        return { running: await this.launch(), failures };
      } catch (error) {
        if (this.stopping) return null;
        if (error instanceof StoppedFromOutside) {
          this.leaveStopped(error.reason);
          return null;
        }
        message = error instanceof Error ? error.message : String(error);
      }
    }
  }

  private leaveStopped(reason: string): void {
    this.isKept = false;
    this.options.report(
      `${this.name} was stopped from outside (${reason}); SIGUSR2 to the launcher starts it again.`,
    );
  }

  private endedMessage(what: string, reason: string): string {
    // A killed process could not write a reason.
    const last = reason.startsWith('signal') ? '' : this.options.lastMessage();
    return `${this.name} ${what} (${reason})${last ? `: ${last}` : ''}`;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
