import { Buffer } from 'node:buffer';
import { rmSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { SealedFile, type Sealer } from '@gw/journal';
import { firstAtTurnEnd } from '@gw/kernel';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import { inFlightPath, nextInFlightNumber } from './recovery';
import type { RequestsInFlight } from './requests-in-flight';

export interface InFlightLogOptions {
  /** The journal's folder. */
  readonly directory: string;
  readonly sealer: Sealer;
  /**
   * File size in bytes; default 4 MiB. A file is replaced once it exceeds this size and twice the
   * size of the in-flight requests.
   */
  readonly fileBytes?: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Returns the record that a request gets if its gateway dies now. The buffer is valid until the
 * next call.
 */
export type LostRecordOf = (context: RequestContext, upstream: Upstream | null) => Buffer;

const EVERY_MS = 1_000;
/**
 * Milliseconds after which a request is written to the log even if no provider was called for it.
 */
const AGE_MS = 1_000;
const FILE_BYTES = 4 * 1_048_576;
/** Number of requests that are rewritten in one batch. */
const SLICE = 50;
const ROOM_BYTES = 64 * 1_024;
const NEW_LINE = 0x0a;
/** First character of a line that ends a request; the request's id follows. */
const ENDED = '-';

/**
 * Records in-flight requests on disk, next to the journal: before a provider is called, it writes
 * the record that the request gets if this process dies. The lines of one event-loop turn are
 * sealed and written with one write, before that turn's calls are sent. Another line ends the
 * request, once its own record is in the journal. After a crash the next process reads the file
 * (`recoverInFlight`).
 */
export class InFlightLog {
  private file: SealedFile | null = null;
  private number: number;
  private room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  private used = 0;
  /**
   * Ids of ended requests whose end may be written now, and those that ended in this turn: their
   * records reach the journal at its end.
   */
  private ended: string[] = [];
  private endedNow: string[] = [];
  private isScheduled = false;
  private isClosed = false;
  private failures = 0;
  /** True after a failed write, until the requests in flight are written again. */
  private isIncomplete = false;
  /** Number of requests in the pending lines. */
  private pendingNotes = 0;
  private timer: NodeJS.Timeout | null = null;
  private ticking: Promise<void> | null = null;
  private replaceAt: number;

  constructor(
    private readonly requests: RequestsInFlight,
    private readonly recordOf: LostRecordOf,
    private readonly options: InFlightLogOptions,
  ) {
    this.number = nextInFlightNumber(options.directory);
    this.replaceAt = this.fileBytes;
  }

  private get fileBytes(): number {
    return this.options.fileBytes ?? FILE_BYTES;
  }

  /** Number of requests that could not be written to disk before their provider was called. */
  get unrecorded(): number {
    return this.failures;
  }

  start(): void {
    this.timer ??= setInterval(() => {
      this.ticking ??= this.tick(performance.now())
        .catch(this.options.onError)
        .finally(() => (this.ticking = null));
    }, EVERY_MS).unref();
  }

  /**
   * Writes the request to the log at the end of this turn, before the call to the provider is sent.
   */
  begin(context: RequestContext, upstream: Upstream | null): void {
    this.note(context, upstream);
    if (this.isScheduled) return;
    this.isScheduled = true;
    firstAtTurnEnd(this.flush);
  }

  /** Like `begin`, but writes at once. Returns false if the write failed. */
  beginNow(context: RequestContext, upstream: Upstream | null): boolean {
    const before = this.failures;
    this.note(context, upstream);
    this.flush();
    return this.failures === before;
  }

  /**
   * Ends a request whose record reaches the journal in this turn; the record includes the request's
   * checks.
   */
  end(context: RequestContext): void {
    for (const check of context.checks) this.end(check);
    this.requests.leave(context);
    if (context.notedBytes === NOT_NOTED) return;
    context.notedBytes = NOT_NOTED;
    this.endedNow.push(context.id);
  }

  /** Adds a finished check to its request, whose record includes the check's cost. */
  joinCheck(check: RequestContext, request: RequestContext): void {
    if (check.notedBytes !== NOT_NOTED) request.checks = [...request.checks, check];
  }

  /** Writes the pending lines. */
  readonly flush = (): void => {
    this.isScheduled = false;
    const ended = this.ended;
    this.ended = this.endedNow;
    this.endedNow = [];
    for (const id of ended) this.line(ENDED + id);
    if (this.used === 0) return;
    const piece = this.room.subarray(0, this.used);
    this.used = 0;
    const notes = this.pendingNotes;
    this.pendingNotes = 0;
    try {
      if (this.isClosed) throw new Error('The log of in-flight requests is closed.');
      this.file ??= this.open();
      this.file.append(piece);
    } catch (error) {
      this.failures += notes;
      this.isIncomplete = true;
      this.options.onError(error);
    }
  };

  /**
   * Runs once a second; `atMs` is a time of `performance.now`. Writes requests that take long to
   * the log, rewrites those whose response has grown by half since, or all after a failed write,
   * and replaces a file that has grown.
   */
  async tick(atMs: number): Promise<void> {
    let written = 0;
    const isComplete = !this.isIncomplete;
    this.isIncomplete = false;
    for (const context of this.requests.olderThan(isComplete ? atMs - AGE_MS : Infinity)) {
      const isDue = isComplete ? hasGrown(context) : context.notedBytes !== NOT_NOTED;
      if (!this.requests.holds(context) || !isDue) continue;
      this.note(context, context.response?.upstream ?? context.attempts.requested);
      written += 1;
      if (written % SLICE === 0) await this.yield();
    }
    await this.yield();
    this.flush();
    if (this.file === null) return;
    if (this.file.bytes > this.replaceAt) await this.replace();
    else if (this.requests.isEmpty) this.remove(this.file);
  }

  /** Stops, and keeps only requests that have no record yet; usually there are none. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.ticking;
    await this.tick(Infinity).catch(this.options.onError);
    this.isClosed = true;
    this.file?.close();
    this.file = null;
  }

  /**
   * Rewrites all in-flight requests into a new file. Requests that begin meanwhile are written to
   * the new file.
   */
  private async replace(): Promise<void> {
    const old = this.file as SealedFile;
    this.file = this.open();
    let written = 0;
    for (const context of this.requests.olderThan(Infinity)) {
      if (!this.requests.holds(context) || context.notedBytes === NOT_NOTED) continue;
      this.note(context, context.response?.upstream ?? context.attempts.requested);
      written += 1;
      if (written % SLICE === 0) await this.yield();
    }
    const before = this.failures;
    this.flush();
    // The old file stays if anything could not be rewritten.
    if (this.failures === before) this.remove(old);
    else old.close();
    this.replaceAt = Math.max(this.fileBytes, 2 * (this.file?.bytes ?? 0));
  }

  private async yield(): Promise<void> {
    this.flush();
    await turn();
  }

  private note(context: RequestContext, upstream: Upstream | null): void {
    // A client's request is in the list from its start; a call of a check is not.
    if (!this.requests.holds(context)) this.requests.join(context);
    const record = this.recordOf(context, upstream);
    context.notedBytes = context.reply.bytes;
    this.ensure(record.length + 1);
    record.copy(this.room, this.used);
    this.used += record.length;
    this.room[this.used] = NEW_LINE;
    this.used += 1;
    this.pendingNotes += 1;
  }

  private line(text: string): void {
    this.ensure(text.length + 1);
    this.used += this.room.write(`${text}\n`, this.used, 'latin1');
  }

  private ensure(bytes: number): void {
    if (this.used + bytes <= this.room.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.room.length * 2, this.used + bytes));
    this.room.copy(larger, 0, 0, this.used);
    this.room = larger;
  }

  private open(): SealedFile {
    const { directory, sealer } = this.options;
    const file = new SealedFile(inFlightPath(directory, this.number), sealer);
    this.number += 1;
    return file;
  }

  private remove(file: SealedFile): void {
    if (this.file === file) this.file = null;
    file.close();
    rmSync(file.path, { force: true });
  }
}

const NOT_NOTED = -1;

/** An estimate by the received bytes is accurate enough until they have grown by half. */
const hasGrown = ({ notedBytes, reply }: RequestContext): boolean =>
  notedBytes === NOT_NOTED || reply.bytes > notedBytes * 1.5;
