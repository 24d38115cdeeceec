import { createParser } from 'eventsource-parser';
import { ApiError, type ApiClient } from './api-client';
import type { Output } from './commands';

const PAGE = 100;
/** Ids of records that were printed, so that none is printed twice; more than come before a page and a stream meet. */
const SEEN_MAX = 10_000;
const RECONNECT_MS = 1_000;

interface LogRecord {
  readonly id: string;
}

/** Prints records as JSON lines, oldest first and each once. What could not be printed is said, not left out silently. */
export class LogTail {
  private readonly seen = new Set<string>();

  constructor(
    private readonly api: ApiClient,
    private readonly query: Readonly<Record<string, string>>,
    private readonly output: Output,
  ) {}

  /** The newest page. Gives how many of it were new. */
  async page(): Promise<number> {
    const search = new URLSearchParams({ ...this.query, page_size: String(PAGE) });
    const { data } = await this.api.call<{ data: LogRecord[] }>('GET', `/v1/logs?${search.toString()}`);
    return data.reverse().filter((record) => this.print(record)).length;
  }

  /** Until `signal`; comes back after a stream that has ended. @throws ApiError when the control plane refuses it. */
  async follow(signal: AbortSignal): Promise<void> {
    for (let streams = 0; !signal.aborted; streams += 1) {
      try {
        await this.stream(streams > 0, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status < 500 && error.status !== 0) throw error;
        this.say(`${error instanceof Error ? error.message : String(error)}; trying again`);
      }
      if (!signal.aborted) await pause(RECONNECT_MS, signal);
    }
  }

  private async stream(isAgain: boolean, signal: AbortSignal): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'log') this.print(JSON.parse(data) as LogRecord);
        if (event === 'skipped') this.say('more logs came than can be shown; some are missing here');
      },
    });
    const search = new URLSearchParams(this.query);
    let isOpen = false;
    for await (const text of this.api.stream(`/v1/logs/tail?${search.toString()}`, signal)) {
      // What was logged before the stream began.
      if (!isOpen && (await this.page()) === PAGE && isAgain)
        this.say('the connection was lost; some logs may be missing here');
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

  private say(text: string): void {
    this.output.err(`tollgate: ${text}\n`);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
