import { call, type ResponseOf, type QueryOf } from '../../api';
import { singleFilters } from '../../ui/filters';
import { encodeRange, resolveRange, type PageState } from '../../url';
import { usePages } from '../list/use-pages';
import { PARAMETERS, type AuditField } from './rules';

export type AuditRecord = ResponseOf<'auditLogs_list'>['records'][number];

/** Converts the filters of the URL to API parameters, which have one value each. */
export const parametersOf = ({ filters }: PageState): QueryOf<'auditLogs_list'> =>
  Object.fromEntries(
    singleFilters(filters).flatMap(({ field, match }) =>
      match.kind === 'any' ? [[PARAMETERS[field as AuditField], match.values[0]]] : [],
    ),
  );

/** Converts the range of the URL, resolved at a moment, to API parameters. */
function timesOf(
  { range }: Pick<PageState, 'range'>,
  now: number,
): Pick<QueryOf<'auditLogs_list'>, 'start_time' | 'end_time'> {
  const { from, to } = resolveRange(range, now);
  return { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
}

/** Maximum number of records of a CSV file. */
export const FILE_MAX = 10_000;
const FILE_PAGE = 100;

/** Reads all records of the range and filters, at most `FILE_MAX`, newest first. */
export async function readAll(state: PageState, signal: AbortSignal): Promise<readonly AuditRecord[]> {
  const query = { ...parametersOf(state), ...timesOf(state, Date.now()), page_size: FILE_PAGE };
  const records: AuditRecord[] = [];
  for (let page = 0; records.length < FILE_MAX; page += 1) {
    const { data } = await call('auditLogs_list', { query: { ...query, current_page: page } }, { signal });
    records.push(...data.records);
    if (data.records.length < FILE_PAGE) break;
  }
  return records;
}

interface RecordPage extends ResponseOf<'auditLogs_list'> {
  /** Time up to which the list is read, in Unix milliseconds. */
  readonly until: number;
}
const rowsOf = ({ records }: RecordPage): readonly AuditRecord[] => records;
const totalOf = ({ total }: RecordPage): number => total;

/**
 * Records of the range and filters, newest first, page by page. All pages end when the first one was
 * read, so that new records do not move rows to later pages.
 */
export function useRecords(state: PageState) {
  const filters = parametersOf(state);
  return usePages<RecordPage, AuditRecord>({
    queryKey: ['auditLogs_list', encodeRange(state.range), filters],
    read: async (page, signal, first) => {
      const until = first?.until ?? Date.now();
      const query = { ...filters, ...timesOf(state, until), ...page };
      return { ...(await call('auditLogs_list', { query }, { signal })).data, until };
    },
    rowsOf,
    totalOf,
  });
}
