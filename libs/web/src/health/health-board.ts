/**
 * State of a part. `down`: it does not work now. `degraded`: it works with limitations, or will
 * soon stop.
 */
export type PartStatus = 'ok' | 'degraded' | 'down';

/**
 * State that a part reports. Texts are shown to operators: they contain no address, no credential
 * and nothing of a request.
 */
export interface PartState {
  readonly status: PartStatus;
  /** Reason of a state other than `ok`; null otherwise. */
  readonly reason: string | null;
  /** Start of the state, if the part knows it; otherwise the board records when it first saw it. */
  readonly since?: Date;
  readonly figures?: Readonly<Record<string, unknown>>;
}

export interface Part {
  readonly name: string;
  /** Checks the part. A rejection or a missing result counts as down. */
  check(): PartState | Promise<PartState>;
}

export interface PartReport {
  readonly name: string;
  readonly status: PartStatus;
  /** Start of the state in ISO 8601. */
  readonly since: string;
  readonly reason: string | null;
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** The public view: states only. */
export interface HealthWords {
  readonly status: 'ok' | 'degraded';
  /** Names of parts that are not ok. */
  readonly degraded: readonly string[];
  readonly parts: Readonly<Record<string, PartStatus>>;
}

export const WELL: PartState = { status: 'ok', reason: null };
export const down = (reason: string): PartState => ({ status: 'down', reason });
export const degraded = (reason: string): PartState => ({ status: 'degraded', reason });

/** Creates a part that is down with the reason unless the probe returns true. */
export const partOf = (
  name: string,
  probe: () => boolean | Promise<boolean>,
  reason = 'It does not respond.',
): Part => ({ name, check: async () => ((await probe()) ? WELL : down(reason)) });

/** Time in milliseconds after which a part without a result counts as down. */
const CHECK_TIMEOUT_MS = 2_000;
/** Interval of the checks in milliseconds, which bounds the error of `since`. */
const CHECK_INTERVAL_MS = 5_000;

interface Seen {
  readonly status: PartStatus;
  readonly since: Date;
}

/** Tracks the states of the parts of a process, and since when they hold. */
export class HealthBoard {
  private readonly seen = new Map<string, Seen>();
  /**
   * Checks in progress: a part is not checked twice at once, so that an unresponsive part
   * accumulates no checks.
   */
  private readonly running = new Map<string, Promise<PartState>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly parts: readonly Part[],
    private readonly checkTimeoutMs = CHECK_TIMEOUT_MS,
  ) {}

  /** Starts checking the parts periodically, without keeping the process alive. */
  start(): void {
    this.timer ??= setInterval(() => void this.report(), CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Returns the current states. Never rejects; takes at most two seconds. */
  async report(): Promise<readonly PartReport[]> {
    return Promise.all(this.parts.map((part) => this.reportOf(part)));
  }

  async words(): Promise<HealthWords> {
    const reports = await this.report();
    const unhealthy = reports.filter(({ status }) => status !== 'ok').map(({ name }) => name);
    return {
      status: unhealthy.length === 0 ? 'ok' : 'degraded',
      degraded: unhealthy,
      parts: Object.fromEntries(reports.map(({ name, status }) => [name, status])),
    };
  }

  private async reportOf(part: Part): Promise<PartReport> {
    const { name } = part;
    const { status, reason, since, figures } = await this.within(this.checked(part));
    const before = this.seen.get(name);
    if (before?.status !== status) this.seen.set(name, { status, since: new Date() });
    const from = since ?? this.seen.get(name)?.since ?? new Date();
    return { name, status, since: from.toISOString(), reason, ...(figures && { figures }) };
  }

  private checked(part: Part): Promise<PartState> {
    const running = this.running.get(part.name);
    if (running) return running;
    // The error may contain internal names.
    const checking = (async () => part.check())()
      .catch(() => down('It does not respond.'))
      .finally(() => this.running.delete(part.name));
    this.running.set(part.name, checking);
    return checking;
  }

  private async within(checking: Promise<PartState>): Promise<PartState> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<PartState>((resolve) => {
      timer = setTimeout(() => {
        resolve(down('It does not respond in time.'));
      }, this.checkTimeoutMs);
    });
    const state = await Promise.race([checking, late]);
    clearTimeout(timer);
    return state;
  }
}
