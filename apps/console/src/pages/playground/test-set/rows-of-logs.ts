import { call, inParallel, problemFrom } from '../../../api';
import { replayOf, type NoReplay, type Replay } from '../draft/replay';
import { addFault, newRow, type TestRow } from './test-set';

/** Number of logs that are read in parallel. */
const WIDTH = 4;

/** Why a log cannot become a row: see `NoReplay`; `size`: the set is full. */
export type NoRow = NoReplay | 'size';

export interface RowsOfLogs {
  readonly rows: readonly TestRow[];
  /** Replay of the first log that became a row; null for none. */
  readonly first: Replay | null;
  /** Logs that could not become rows, with the reason or the message of the failed call. */
  readonly left: readonly { readonly log: string; readonly reason: NoRow | null; readonly message: string }[];
}

type Read = Replay | NoReplay | { readonly message: string };

async function readLog(logId: string, signal: AbortSignal): Promise<Read> {
  try {
    const read = replayOf((await call('logs_get', { path: { logId } }, { signal })).data);
    // A check needs the text of a response, which a raw call does not have.
    return typeof read !== 'string' && read.api === 'raw' ? 'route' : read;
  } catch (error) {
    return { message: problemFrom(error).message };
  }
}

/** Name for the row of a log: its last text message. */
const nameOf = ({ draft }: Replay): string =>
  draft.messages
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .findLast((text) => text !== '') ?? '';

/**
 * Reads logs with their bodies and converts them to rows. `before` are the rows that the set
 * already has.
 */
export async function rowsOfLogs(
  ids: readonly string[],
  before: readonly TestRow[],
  signal: AbortSignal,
): Promise<RowsOfLogs> {
  const reads = new Map<string, Read>();
  await inParallel(ids, WIDTH, signal, async (id) => void reads.set(id, await readLog(id, signal)));
  signal.throwIfAborted();
  return collected(ids, reads, before);
}

function collected(
  ids: readonly string[],
  reads: ReadonlyMap<string, Read>,
  before: readonly TestRow[],
): RowsOfLogs {
  const rows: TestRow[] = [];
  const left: RowsOfLogs['left'][number][] = [];
  let first: Replay | null = null;
  for (const log of ids) {
    const read = reads.get(log) ?? 'absent';
    const row = rowOf(log, read, [...before, ...rows]);
    if ('log' in row) left.push(row);
    else {
      rows.push(row);
      first ??= read as Replay;
    }
  }
  return { rows, left, first };
}

/** Converts a log to a row, or returns why that is not possible. */
function rowOf(log: string, read: Read, before: readonly TestRow[]): TestRow | RowsOfLogs['left'][number] {
  const without = (reason: NoRow | null, message = '') => ({ log, reason, message });
  if (typeof read === 'string') return without(read);
  if ('message' in read) return without(null, read.message);
  const row = newRow(nameOf(read) || log, { draft: read.draft, api: read.api });
  return addFault(before, [row]) === null ? row : without('size');
}
