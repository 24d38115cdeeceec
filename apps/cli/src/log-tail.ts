import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { ApiError, type ApiClient } from './api-client';
import type { Output } from './commands';

const PAGE = 100;
/**
 * Maximum number of remembered ids, which prevent printing a record twice; more than can arrive
 * while a page and a stream overlap.
 */
const SEEN_MAX = 10_000;
const RECONNECT_MS = 1_000;

/** Control planes of earlier releases send an empty object. */
interface Skipped {
  readonly count?: number;
  readonly exact?: boolean;
}

interface LogRecord {
  readonly id: string;
}

/**
 * Prints records as JSON lines, oldest first and each once, and reports records that it could not
 * print.
 */
export class LogTail {
  private readonly seen = new Set<string>();

  constructor(
    private readonly api: ApiClient,
    private readonly query: Readonly<Record<string, string>>,
    private readonly output: Output,
  ) {}

  /** Prints the newest page and returns the number of new records. */
  async page(): Promise<number> {
    const search = new URLSearchParams({ ...this.query, page_size: String(PAGE) });
    const { data } = await this.api.call<{ data: LogRecord[] }>('GET', `/v1/logs?${search.toString()}`);
    return data.reverse().filter((record) => this.print(record)).length;
  }

  /**
   * Follows the stream until `signal` aborts, and reconnects when it ends. @throws ApiError when
   * the control plane refuses it.
   */
  async follow(signal: AbortSignal): Promise<void> {
    for (let streams = 0; !signal.aborted; streams += 1) {
      try {
        await this.stream(streams > 0, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status < 500 && error.status !== 0) throw error;
        this.say(`${error instanceof Error ? error.message : String(error)}; retrying`);
      }
      if (!signal.aborted) await pause(RECONNECT_MS, signal);
    }
  }

  private async stream(isAgain: boolean, signal: AbortSignal): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'log') this.print(JSON.parse(data) as LogRecord);
        if (event === 'skipped') this.skipped(JSON.parse(data) as Skipped);
      },
    });
    const search = new URLSearchParams(this.query);
    let isOpen = false;
    for await (const text of this.api.stream(`/v1/logs/tail?${search.toString()}`, signal)) {
      // Prints the records that were logged before the stream began.
      if (!isOpen && (await this.page()) === PAGE && isAgain)
        this.say('the connection was lost; some logs may be missing');
      isOpen = true;
      parser.feed(text);
    }
  }

  private print(record: LogRecord): boolean {
    if (this.seen.has(record.id)) return false;
    this.seen.add(record.id);
    const [oldest] = this.seen;
    if (this.seen.size > SEEN_MAX && oldest !== undefined) this.seen.delete(oldest);
    this.output.out(`${JSON.stringify(record)}\n`);
    return true;
  }

  private skipped({ count, exact }: Skipped): void {
    const missing = count === undefined ? 'some' : `${String(count)}${exact === true ? '' : ' or more'}`;
    this.say(`too many logs to show; ${missing} are missing`);
  }

  private say(text: string): void {
    this.output.err(`tollgate: ${text}\n`);
  }
}

/** Waits; ends early, without an error, when `signal` is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
