import { readFileSync, rmSync, unlinkSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Journal } from '@gw/telemetry';
import type { Exchange } from '../exchange';
import type { RequestsUnderWay } from './requests-under-way';

export interface UnderWayFileOptions {
  /** That of the journal. */
  readonly directory: string;
  /** The record of a request, as one line of JSON, should it end now because its gateway does. */
  readonly recordOf: (exchange: Exchange) => string;
  readonly onError: (error: unknown) => void;
}

const NAME = 'under-way.jsonl';
const EVERY_MS = 1_000;
/** What is over sooner is in no file. */
const AGE_MS = 1_000;
/** Requests in the file; of more the oldest are kept. */
const UNDER_WAY_MAX = 1_000;
const BYTES_MAX = 8 * 1_048_576;
/** Records that are made in one go. */
const SLICE = 50;

/**
 * What has been under way for longer than a second, on the disk beside the journal: a process that is killed leaves it to its successor.
 * Written once a second where it has changed, beside the old file and moved over it; there is none while nothing takes that long.
 */
export class UnderWayFile {
  private readonly path: string;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  /** Id and bytes of each request as the file has it. */
  private written = '';

  constructor(
    private readonly requests: RequestsUnderWay,
    private readonly options: UnderWayFileOptions,
  ) {
    this.path = join(options.directory, NAME);
  }

  start(): void {
    this.timer ??= setInterval(() => {
      this.writing ??= this.write(performance.now())
        .catch(this.options.onError)
        .finally(() => (this.writing = null));
    }, EVERY_MS).unref();
  }

  /** Leaves what has no record even now; usually nothing. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.writing;
    await this.write(Infinity).catch(this.options.onError);
  }

  /** One turn of what `start` repeats, at a time of `performance.now`. Rejects with what the disk says. */
  async write(atMs: number): Promise<void> {
    const found = this.requests.olderThan(atMs - AGE_MS, UNDER_WAY_MAX);
    const now = found.map(({ id, responseBytes }) => `${id} ${String(responseBytes)}`).join();
    if (now === this.written) return;
    if (found.length === 0) rmSync(this.path, { force: true });
    else await this.replace(found);
    this.written = now;
  }

  private async replace(found: readonly Exchange[]): Promise<void> {
    const lines: string[] = [];
    let bytes = 0;
    for (const [at, exchange] of found.entries()) {
      if (at > 0 && at % SLICE === 0) await turn();
      const line = this.options.recordOf(exchange);
      bytes += line.length;
      if (bytes > BYTES_MAX) break;
      lines.push(line);
    }
    const beside = `${this.path}.new`;
    await writeFile(beside, lines.join('\n'), { mode: 0o600 });
    await rename(beside, this.path);
  }
}

/**
 * Appends what an earlier process has left to the journal; gives how many records that were. A record that is there already comes before it,
 * and the store keeps the first of an id: so none counts twice, however often a start is killed before the file is gone.
 */
export function recoverUnderWay(directory: string, journal: Journal): number {
  const path = join(directory, NAME);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  const lines = text.split('\n').filter(isRecord);
  for (const line of lines) journal.append(line, null, null, () => undefined);
  journal.flush();
  unlinkSync(path);
  return lines.length;
}

function isRecord(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
