/** Down: it does nothing now. Degraded: it does its work with less, or will stop to. */
export type PartStatus = 'ok' | 'degraded' | 'down';

/** What a part says of itself. Texts are shown to operators: they name no address, no credential and nothing of a request. */
export interface PartState {
  readonly status: PartStatus;
  /** Null while all is well. */
  readonly reason: string | null;
  /** Since when it is so, where the part knows; else the board tells when it first saw it. */
  readonly since?: Date;
  readonly figures?: Readonly<Record<string, unknown>>;
}

export interface Part {
  readonly name: string;
  /** May reject, and need not end: the part then counts as down. */
  check(): PartState | Promise<PartState>;
}

export interface PartReport {
  readonly name: string;
  readonly status: PartStatus;
  /** ISO 8601. */
  readonly since: string;
  readonly reason: string | null;
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** For anyone: words alone. */
export interface HealthWords {
  readonly status: 'ok' | 'degraded';
  /** Names of parts that are not ok. */
  readonly degraded: readonly string[];
  readonly parts: Readonly<Record<string, PartStatus>>;
}

export const WELL: PartState = { status: 'ok', reason: null };
export const down = (reason: string): PartState => ({ status: 'down', reason });
export const degraded = (reason: string): PartState => ({ status: 'degraded', reason });

/** A part that is there or not: down with the reason unless the probe gives true. */
export const partOf = (
  name: string,
  probe: () => boolean | Promise<boolean>,
  reason = 'It does not answer.',
): Part => ({ name, check: async () => ((await probe()) ? WELL : down(reason)) });

/** A part that says nothing for this long counts as down. */
const CHECK_MS = 2_000;
/** States are looked at by themselves, so that `since` is right to so many milliseconds without a request. */
const LOOK_MS = 5_000;

interface Seen {
  readonly status: PartStatus;
  readonly since: Date;
}

/** Knows how the parts of a process are, and since when. */
export class HealthBoard {
  private readonly seen = new Map<string, Seen>();
  /** Checks that have not ended: a part is not checked twice at once, so that a dead one gathers no questions. */
  private readonly running = new Map<string, Promise<PartState>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly parts: readonly Part[],
    private readonly checkMs = CHECK_MS,
  ) {}

  /** Looks at the parts from now on; holds no process up. */
  start(): void {
    this.timer ??= setInterval(() => void this.report(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** As it is now. Never rejects; takes two seconds at most. */
  async report(): Promise<readonly PartReport[]> {
    return Promise.all(this.parts.map((part) => this.reportOf(part)));
  }

  async words(): Promise<HealthWords> {
    const reports = await this.report();
    const notWell = reports.filter(({ status }) => status !== 'ok').map(({ name }) => name);
    return {
      status: notWell.length === 0 ? 'ok' : 'degraded',
      degraded: notWell,
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
    // What was thrown may name what is inside.
    const checking = (async () => part.check())()
      .catch(() => down('It does not answer.'))
      .finally(() => this.running.delete(part.name));
    this.running.set(part.name, checking);
    return checking;
  }

  private async within(checking: Promise<PartState>): Promise<PartState> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<PartState>((resolve) => {
      timer = setTimeout(() => {
        resolve(down('It does not answer in time.'));
      }, this.checkMs);
    });
    const state = await Promise.race([checking, late]);
    clearTimeout(timer);
    return state;
  }
}
