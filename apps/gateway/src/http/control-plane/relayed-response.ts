import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Share } from '@gw/kernel';
import { allowedMs, type BodyReaderOptions } from '../../bodies/read-body';
import type { FairPlaces, Place } from './fair-places';

export interface RelayOptions {
  /** Memory for data that clients have not read yet, shared between networks. */
  readonly memory: Share;
  /** Places of long responses. */
  readonly long: FairPlaces;
  readonly holder: string;
  /** Minimum rate at which a client must read a response; the same as for sending a body. */
  readonly pace: BodyReaderOptions;
}

/**
 * Relays a response of the admin API to a client. The response is read as fast as it arrives, into
 * memory that networks share, so that a slow client holds no place of the pool. An event stream,
 * and a response that finds no memory, moves to a place for long responses; if none is free, it is
 * cut. A client that reads too slowly is disconnected.
 */
export class RelayedResponse {
  private queue: Buffer[] = [];
  private counted = 0;
  private isBlocked = false;
  private hasEnded = false;
  private hasLongPlace = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly response: IncomingMessage,
    private readonly res: ServerResponse,
    private place: Place,
    private readonly options: RelayOptions,
  ) {
    res.once('close', () => this.stop());
  }

  /**
   * Returns false when the response is an event stream and no place for a long response is free.
   */
  mayBegin(): boolean {
    return !isEventStream(this.response) || this.changePlace();
  }

  /** Starts relaying; the head has been written. */
  begin(): void {
    const { response, res } = this;
    response.on('data', (chunk: Buffer) => this.pass(chunk));
    response.once('end', () => this.end());
    response.once('error', () => res.destroy());
  }

  private pass(chunk: Buffer): void {
    if (!this.isBlocked) {
      this.write(chunk);
      return;
    }
    this.queue.push(chunk);
    if (this.options.memory.take(chunk.length)) this.counted += chunk.length;
    else if (this.changePlace()) this.response.pause();
    else this.res.destroy();
  }

  private end(): void {
    this.place.free();
    this.hasEnded = true;
    if (!this.isBlocked) this.finish();
  }

  private write(chunk: Buffer): void {
    if (this.res.write(chunk)) return;
    this.isBlocked = true;
    this.limitReadTime();
    this.res.once('drain', () => this.resume());
  }

  /** Continues after the client has read the written bytes. */
  private resume(): void {
    this.isBlocked = false;
    if (this.timer) clearTimeout(this.timer);
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      this.write(next);
      if (this.isBlocked) return;
    }
    this.options.memory.give(this.counted);
    this.counted = 0;
    if (this.hasEnded) this.finish();
    else this.response.resume();
  }

  private finish(): void {
    this.res.end();
    this.limitReadTime();
  }

  private limitReadTime(): void {
    const { res, options } = this;
    this.timer = setTimeout(() => res.destroy(), allowedMs(res.writableLength, options.pace));
  }

  /** Moves to a place for long responses; returns false when none is free. */
  private changePlace(): boolean {
    if (this.hasLongPlace) return true;
    const { long, holder } = this.options;
    const place = long.takeNow(holder);
    if (place === null) return false;
    this.place.free();
    this.place = place;
    return (this.hasLongPlace = true);
  }

  private stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.place.free();
    this.queue = [];
    this.options.memory.give(this.counted);
    this.counted = 0;
  }
}

const isEventStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true;
