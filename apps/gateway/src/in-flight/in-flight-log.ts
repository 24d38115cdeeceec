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
  /** That of the journal. */
  readonly directory: string;
  readonly sealer: Sealer;
  /** A file is replaced once it has this size and twice what requests in flight take; 4 MiB when absent. */
  readonly fileBytes?: number;
  readonly onError: (error: unknown) => void;
}

/** The record of a request, should it end now because its gateway does; good until the next call. */
export type LostRecordOf = (context: RequestContext, upstream: Upstream | null) => Buffer;

const EVERY_MS = 1_000;
/** A request that takes longer is written down although no provider was called for it. */
const AGE_MS = 1_000;
const FILE_BYTES = 4 * 1_048_576;
/** Requests that are written again in one go. */
const SLICE = 50;
const ROOM_BYTES = 64 * 1_024;
const NEW_LINE = 0x0a;
/** Begins a line that ends a request; its id follows. */
const ENDED = '-';

/**
 * What is in flight, on the disk next to the journal: before a provider is called, the record that the request gets should this
 * process die. The lines of one turn are sealed and written with one call, before the calls of that turn are sent; another line ends
 * the request, once its own record is in the journal. A process that dies leaves the file to its successor (`recoverInFlight`).
 */
export class InFlightLog {
  private file: SealedFile | null = null;
  private number: number;
  private room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  private used = 0;
  /** Lines about ends that may be written, and those of this turn: their records are written at its end. */
  private ended: string[] = [];
  private endedNow: string[] = [];
  private isScheduled = false;
  private isClosed = false;
  private failures = 0;
  /** Requests of the pending lines. */
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

  /** Requests that the disk refused to note before their provider was called. */
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

  /** A provider is about to be called: the request is written down at the end of this turn, before the call is sent. */
  begin(context: RequestContext, upstream: Upstream): void {
    this.note(context, upstream);
    if (this.isScheduled) return;
    this.isScheduled = true;
    firstAtTurnEnd(this.flush);
  }

  /** The same at once. False: it could not be written down. */
  beginNow(context: RequestContext, upstream: Upstream): boolean {
    const before = this.failures;
    this.note(context, upstream);
    this.flush();
    return this.failures === before;
  }

  /** The request's record is on its way to the journal, in this turn; those of its checks are part of it. */
  end(context: RequestContext): void {
    for (const check of context.checks) this.end(check);
    this.requests.leave(context);
    if (context.notedBytes === NOT_NOTED) return;
    context.notedBytes = NOT_NOTED;
    this.endedNow.push(context.id);
  }

  /** A call of a check is over, whose cost is a part of the request's record. */
  joinCheck(check: RequestContext, request: RequestContext): void {
    if (check.notedBytes !== NOT_NOTED) request.checks = [...request.checks, check];
  }

  /** Writes what is pending. */
  readonly flush = (): void => {
    this.isScheduled = false;
    const ended = this.ended;
    this.ended = this.endedNow;
    this.endedNow = [];
    for (const id of ended) this.line(ENDED + id);
    if (this.used === 0 || this.isClosed) return;
    const piece = this.room.subarray(0, this.used);
    this.used = 0;
    const notes = this.pendingNotes;
    this.pendingNotes = 0;
    try {
      this.file ??= this.open();
      this.file.append(piece);
    } catch (error) {
      this.failures += notes;
      this.options.onError(error);
    }
  };

  /**
   * One turn of what `start` repeats, at a time of `performance.now`: notes requests that take long, and again those of which half as
   * much again has come; replaces a file that has grown.
   */
  async tick(atMs: number): Promise<void> {
    let written = 0;
    for (const context of this.requests.olderThan(atMs - AGE_MS)) {
      if (!this.requests.holds(context) || !hasGrown(context)) continue;
      this.note(context, context.answer?.upstream ?? context.attempts.requested);
      written += 1;
      if (written % SLICE === 0) await this.yield();
    }
    await this.yield();
    this.flush();
    if (this.file === null) return;
    if (this.file.bytes > this.replaceAt) await this.replace();
    else if (this.requests.isEmpty) this.remove(this.file);
  }

  /** Leaves what has no record even now; usually nothing. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.ticking;
    await this.tick(Infinity).catch(this.options.onError);
    this.isClosed = true;
    this.file?.close();
    this.file = null;
  }

  /** Requests that begin meanwhile are in the new file. */
  private async replace(): Promise<void> {
    const old = this.file as SealedFile;
    this.file = this.open();
    let written = 0;
    for (const context of this.requests.olderThan(Infinity)) {
      if (!this.requests.holds(context) || context.notedBytes === NOT_NOTED) continue;
      this.note(context, context.answer?.upstream ?? context.attempts.requested);
      written += 1;
      if (written % SLICE === 0) await this.yield();
    }
    const before = this.failures;
    this.flush();
    // What could not be written again is still in the old file.
    if (this.failures === before) this.remove(old);
    else old.close();
    this.replaceAt = Math.max(this.fileBytes, 2 * (this.file?.bytes ?? 0));
  }

  private async yield(): Promise<void> {
    this.flush();
    await turn();
  }

  private note(context: RequestContext, upstream: Upstream | null): void {
    // A call that a check makes is no request of a client, which would be in the list from its start.
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

/** An estimate by what has come is as good until half as much again has. */
const hasGrown = ({ notedBytes, reply }: RequestContext): boolean =>
  notedBytes === NOT_NOTED || reply.bytes > notedBytes * 1.5;
