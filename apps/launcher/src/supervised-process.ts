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
  /** Starts it; what it gives may still be on its way to being ready. */
  launch(): Running | Promise<Running>;
  /** Resolves when it serves. Throws `StartError` when it does not in time. */
  ready(running: Running): Promise<void>;
  /** What it wrote last; shown when it ends. */
  lastMessage(): string;
  /** One line for the operator. */
  report(line: string): void;
  /** The process id changed. */
  changed(): void;
  /** It keeps ending; called once, and it is not started again. */
  gaveUp(error: StartError): void;
}

/** It was told to end while it was still on its way to being ready. */
class StoppedFromOutside extends StartError {
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** A run that lasted this long counts as a success, after which the count of failures starts anew. */
const HEALTHY_AFTER_MS = 60_000;
const RESTARTS_MAX = 5;
const FIRST_PAUSE_MS = 200;

/**
 * Keeps one process running: starts it again when it crashed, after 0.2, 0.4, 0.8, 1.6 and 3.2 s, then gives up. A first start that fails is
 * an error of `start`. One that ended as asked by SIGTERM or SIGINT stays ended until `start` is called again.
 */
export class SupervisedProcess {
  private running: Running | undefined;
  private launching: Promise<Running> | undefined;
  private stopping = false;

  constructor(private readonly options: SupervisedProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  /** Null while it does not run. */
  get pid(): number | null {
    return this.running?.pid ?? null;
  }

  /** Resolves when it serves. Throws `StartError`. Does nothing when it already runs. */
  async start(): Promise<void> {
    if (this.running || this.stopping) return;
    const running = await this.launch();
    void this.watch(running);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running?.stop();
    // One that was just being started is ended by its start.
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
      this.running = undefined;
      const message = this.endedMessage('failed to start', reason);
      throw deliberate ? new StoppedFromOutside(reason, message) : new StartError(message);
    });
    try {
      await Promise.race([this.options.ready(running), early]);
    } catch (error) {
      early.catch(() => undefined);
      await running.stop();
      throw error;
    }
    early.catch(() => undefined);
    return running;
  }

  private async watch(first: Running): Promise<void> {
    let running = first;
    let failures = 0;
    for (;;) {
      const startedAt = Date.now();
      const { reason, deliberate } = await running.ended;
      this.running = undefined;
      this.options.changed();
      if (this.stopping) return;
      if (deliberate) {
        this.reportStopped(reason);
        return;
      }
      if (Date.now() - startedAt > HEALTHY_AFTER_MS) failures = 0;
      const restarted = await this.restart(failures, reason);
      if (!restarted) return;
      ({ running, failures } = restarted);
    }
  }

  /** Tries until it serves again. Null: it gave up, or is being stopped. */
  private async restart(
    failedBefore: number,
    why: string,
  ): Promise<{ running: Running; failures: number } | null> {
    let message = this.endedMessage('ended', why);
    for (let failures = failedBefore + 1; failures <= RESTARTS_MAX; failures += 1) {
      this.options.report(`${message}; starting it again.`);
      await pause(FIRST_PAUSE_MS * 2 ** (failures - 1));
      if (this.stopping) return null;
      try {
        return { running: await this.launch(), failures };
      } catch (error) {
        if (this.stopping) return null;
        if (error instanceof StoppedFromOutside) {
          this.reportStopped(error.reason);
          return null;
        }
        message = error instanceof Error ? error.message : String(error);
      }
    }
    this.options.gaveUp(
      new StartError(`${message}; it failed ${String(RESTARTS_MAX + 1)} times, giving up.`),
    );
    return null;
  }

  private reportStopped(reason: string): void {
    this.options.report(
      `${this.name} was stopped from outside (${reason}); SIGUSR2 to the launcher starts it again.`,
    );
  }

  private endedMessage(what: string, reason: string): string {
    // One that was killed had nothing to say about it.
    const last = reason.startsWith('signal') ? '' : this.options.lastMessage();
    return `${this.name} ${what} (${reason})${last ? `: ${last}` : ''}`;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
