import { sqlStateOf } from '@gw/entities';
import { GatewayError, DAY_MS } from '@gw/kernel';
import {
  bodyLengths,
  decodeLogBodies,
  listLogs,
  readBodies,
  type ExportPosition,
  type LogFilter,
  type LogPosition,
  type StoredRequestLog,
} from '@gw/log-store';
import { invalid } from '@gw/web';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';

/** What one page may cost. Where it ends before the page is full, the page says how far it looked, and the next goes on from there. */
export interface SearchBounds {
  readonly logsMax: number;
  /** Of bodies as they are stored. */
  readonly bytesMax: number;
  readonly msMax: number;
}

const BOUNDS: SearchBounds = { logsMax: 10_000, bytesMax: 64 * 1_048_576, msMax: 5_000 };
/** The time that a search is about. */
const DAYS_MAX = 31;
/** Searches of this process. */
const AT_ONCE = 4;
const LOGS_AT_ONCE = 250;
const BYTES_AT_ONCE = 4 * 1_048_576;
/** Plain text that is looked through without letting others go first. */
const BYTES_A_TURN = 1_048_576;

export interface FoundLogs {
  readonly rows: readonly StoredRequestLog[];
  /** Where the next page goes on; null: all of the time was looked through. */
  readonly next: LogPosition | null;
  /** Logs that this page looked at, and the time of the last of them. */
  readonly logs: number;
  readonly until: Date | null;
}

/**
 * Finds logs by a text in their URL, error type or bodies, whatever its case. Nothing is kept for it: it looks through the logs that the other
 * filters leave, newest first, so that ingest pays nothing and a search what it asks for.
 */
export class LogSearch {
  private running = 0;

  /** `inDatabase`: bodies stand there. */
  constructor(
    private readonly source: DataSource,
    private readonly inDatabase: boolean,
    private readonly bounds = BOUNDS,
  ) {}

  /**
   * One page; `limit` rows at most. Throws `validation_failed` without a time of at most 31 days, and where bodies are kept out of the database;
   * `unavailable` when too many search, or the other filters alone take too long.
   */
  async find(filter: LogFilter, text: string, limit: number): Promise<FoundLogs> {
    if (!this.inDatabase)
      throw invalid('q', 'q searches bodies in the database, and LOG_STORE keeps them in another store');
    assertTime(filter);
    if (this.running >= AT_ONCE)
      throw new GatewayError('unavailable', {
        message: `Only ${String(AT_ONCE)} searches of logs run at a time: try again in a moment.`,
        headers: { 'retry-after': '1' },
      });
    this.running += 1;
    try {
      return await this.look(filter, new SearchTerms(text), limit);
    } finally {
      this.running -= 1;
    }
  }

  private async look(filter: LogFilter, needles: SearchTerms, limit: number): Promise<FoundLogs> {
    const { logsMax, bytesMax, msMax } = this.bounds;
    const until = performance.now() + msMax;
    const rows: StoredRequestLog[] = [];
    const looked = { logs: 0, bytes: 0 };
    let last: LogPosition | null = null;
    let isWhole = false;
    try {
      await this.source.transaction(async (manager) => {
        await manager.query(`SELECT set_config('statement_timeout', $1, true)`, [String(msMax)]);
        for await (const { row, content } of walk(manager, filter)) {
          const isOver = looked.logs >= logsMax || looked.bytes >= bytesMax || performance.now() > until;
          if (rows.length === limit || isOver) return;
          looked.logs += 1;
          looked.bytes += content?.length ?? 0;
          last = { createdAt: row.created_at, id: row.id };
          if (await needles.areIn(row, content)) rows.push(row);
        }
        isWhole = true;
      });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (last === null) throw tooSlow(msMax);
    }
    const { createdAt = null } = (last as LogPosition | null) ?? {};
    return { rows, next: isWhole ? null : last, logs: looked.logs, until: createdAt };
  }
}

interface Looked {
  readonly row: StoredRequestLog;
  readonly content: Buffer | null;
}

/** All logs of a filter with their bodies as they are stored, in order; a bounded number of bytes at a time. */
async function* walk(manager: EntityManager, filter: LogFilter): AsyncGenerator<Looked> {
  for (let { after } = filter; ;) {
    const rows = await listLogs(manager, { ...filter, after }, LOGS_AT_ONCE);
    const lengths = await bodyLengths(manager, placesOf(rows));
    for (const group of groupsOf(rows, lengths)) {
      const contents = await readBodies(manager, placesOf(group));
      for (const row of group) yield { row, content: contents.get(row.id) ?? null };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < LOGS_AT_ONCE) return;
    after = { createdAt: last.created_at, id: last.id };
  }
}

/** One after another, of so many bytes of bodies at most; what is larger comes alone. */
function* groupsOf(
  rows: readonly StoredRequestLog[],
  lengths: ReadonlyMap<string, number>,
): Generator<readonly StoredRequestLog[]> {
  let group: StoredRequestLog[] = [];
  let bytes = 0;
  for (const row of rows) {
    const length = lengths.get(row.id) ?? 0;
    if (group.length > 0 && bytes + length > BYTES_AT_ONCE) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(row);
    bytes += length;
  }
  if (group.length > 0) yield group;
}

const placesOf = (rows: readonly StoredRequestLog[]): ExportPosition[] =>
  rows.map(({ id, created_at: createdAt }) => ({ id, createdAt: createdAt.toISOString() }));

/** A text as bodies may spell it: as it is, as JSON, and as JSON of ASCII alone. */
class SearchTerms {
  private readonly spellings: readonly string[];
  private bytesOfTurn = 0;

  constructor(text: string) {
    const json = JSON.stringify(text).slice(1, -1);
    const ascii = json.replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    this.spellings = [...new Set([text, json, ascii].map((spelling) => spelling.toLowerCase()))];
  }

  async areIn({ url, error_type: errorType }: StoredRequestLog, content: Buffer | null): Promise<boolean> {
    if (this.isIn(`${url}\n${errorType ?? ''}`)) return true;
    if (content === null) return false;
    const { request, response } = decodeLogBodies(content);
    this.bytesOfTurn += (request?.length ?? 0) + (response?.length ?? 0);
    if (this.bytesOfTurn > BYTES_A_TURN) {
      this.bytesOfTurn = 0;
      await nextTurn();
    }
    return [request, response].some((body) => body !== null && this.isIn(body.toString('utf8')));
  }

  private isIn(text: string): boolean {
    const folded = text.toLowerCase();
    return this.spellings.some((spelling) => folded.includes(spelling));
  }
}

function assertTime({ ranges: { created_at: { min, max } = {} } }: LogFilter): void {
  if (min === undefined) throw invalid('time_of_generation_min', 'q needs time_of_generation_min');
  const end = max === undefined ? Date.now() : Number(max);
  if (end - Number(min) > DAYS_MAX * DAY_MS)
    throw invalid('time_of_generation_min', `q looks through ${String(DAYS_MAX)} days at most`);
}

/** SQLSTATE of a statement that was cancelled. */
const isTimeout = (error: unknown): boolean => sqlStateOf(error) === '57014';

const tooSlow = (msMax: number): GatewayError =>
  new GatewayError('unavailable', {
    message: `The search found nothing to look through within ${String(msMax)} ms: shorten its time, or use fewer other filters.`,
  });
