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
import { SEARCH_DAYS_MAX } from '../../platform/logs/logs.dto';

/**
 * Bounds of the work for one page. A page that reaches a bound ends early and reports how far it
 * got; the next page continues there.
 */
export interface SearchBounds {
  readonly logsMax: number;
  /** Maximum bytes of bodies in stored form. */
  readonly bytesMax: number;
  readonly msMax: number;
}

const BOUNDS: SearchBounds = { logsMax: 10_000, bytesMax: 64 * 1_048_576, msMax: 5_000 };
/** Maximum number of concurrent searches of this process. */
const AT_ONCE = 4;
const LOGS_AT_ONCE = 250;
const BYTES_AT_ONCE = 4 * 1_048_576;
/** Bytes of body text that are searched before yielding to the event loop. */
const BYTES_A_TURN = 1_048_576;

export interface FoundLogs {
  readonly rows: readonly StoredRequestLog[];
  /** Position where the next page continues; null when the whole range was searched. */
  readonly next: LogPosition | null;
  /** Number of logs searched for this page, and the time of the last one. */
  readonly logs: number;
  readonly until: Date | null;
}

/**
 * Finds logs by a text in their URL, error type or bodies, case-insensitively. There is no index:
 * the search reads the logs that match the other filters, newest first, so it costs nothing at
 * ingest.
 */
export class LogSearch {
  private running = 0;

  /** `inDatabase` tells whether bodies are stored in the database. */
  constructor(
    private readonly source: DataSource,
    private readonly inDatabase: boolean,
    private readonly bounds = BOUNDS,
  ) {}

  /**
   * Returns one page of at most `limit` rows. Throws `validation_failed` without a range of at most
   * 31 days and when bodies are stored outside the database; `unavailable` when too many searches
   * run or the other filters alone take too long.
   */
  async find(filter: LogFilter, text: string, limit: number): Promise<FoundLogs> {
    if (!this.inDatabase)
      throw invalid('q', 'q is not available, because LOG_STORE keeps bodies outside the database');
    assertTime(filter);
    if (this.running >= AT_ONCE)
      throw new GatewayError('unavailable', {
        message: `${String(AT_ONCE)} searches of logs are already running; try again in a moment.`,
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
    }
    if (last === null && !isWhole) throw tooSlow(msMax);
    const { createdAt = null } = (last as LogPosition | null) ?? {};
    return { rows, next: isWhole ? null : last, logs: looked.logs, until: createdAt };
  }
}

interface Looked {
  readonly row: StoredRequestLog;
  readonly content: Buffer | null;
}

/**
 * Yields all logs of a filter with their stored bodies, in order, a bounded number of bytes at a
 * time.
 */
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

/**
 * Splits rows into consecutive groups of bounded body bytes; a larger row forms a separate group.
 */
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

/**
 * The search text in the spellings that a body can contain: as it is, as JSON and as ASCII-only
 * JSON.
 */
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
  if (min === undefined) throw invalid('time_of_generation_min', 'q requires time_of_generation_min');
  const end = max === undefined ? Date.now() : Number(max);
  if (end - Number(min) > SEARCH_DAYS_MAX * DAY_MS)
    throw invalid('time_of_generation_min', `q requires a range of at most ${String(SEARCH_DAYS_MAX)} days`);
}

/** SQLSTATE of a cancelled statement. */
const isTimeout = (error: unknown): boolean => sqlStateOf(error) === '57014';

const tooSlow = (msMax: number): GatewayError =>
  new GatewayError('unavailable', {
    message: `Search timed out after ${String(msMax)} ms; narrow the time range or use fewer other filters.`,
  });
