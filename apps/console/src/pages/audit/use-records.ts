import { call, type ResponseOf, type QueryOf } from '../../api';
import { encodeRange, resolveRange, type PageState } from '../../url';
import { usePages } from '../list/use-pages';
import { PARAMETERS, type AuditField } from './rules';

export type AuditRecord = ResponseOf<'auditLogs_list'>['records'][number];

/** Converts the filters of the URL to API parameters. */
export const parametersOf = ({ filters }: PageState): QueryOf<'auditLogs_list'> =>
  Object.fromEntries(
    filters.flatMap(({ field, match }) =>
      match.kind === 'any' ? [[PARAMETERS[field as AuditField], match.values[0]]] : [],
    ),
  );

/** Converts the range of the URL, resolved now, to API parameters. */
function timesOf({
  range,
}: Pick<PageState, 'range'>): Pick<QueryOf<'auditLogs_list'>, 'start_time' | 'end_time'> {
  const { from, to } = resolveRange(range, Date.now());
  return { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
}

/** Maximum number of records of a CSV file. */
export const FILE_MAX = 10_000;
const FILE_PAGE = 100;

/** Reads all records of the range and filters, at most `FILE_MAX`, newest first. */
export async function readAll(state: PageState, signal: AbortSignal): Promise<readonly AuditRecord[]> {
  const query = { ...parametersOf(state), ...timesOf(state), page_size: FILE_PAGE };
  const records: AuditRecord[] = [];
  for (let page = 0; records.length < FILE_MAX; page += 1) {
    const { data } = await call('auditLogs_list', { query: { ...query, current_page: page } }, { signal });
    records.push(...data.records);
    if (data.records.length < FILE_PAGE) break;
  }
  return records;
}

const rowsOf = ({ records }: ResponseOf<'auditLogs_list'>): readonly AuditRecord[] => records;
const totalOf = ({ total }: ResponseOf<'auditLogs_list'>): number => total;

/** Records of the range and filters, newest first, page by page. */
export function useRecords(state: PageState) {
  const filters = parametersOf(state);
  return usePages({
    queryKey: ['auditLogs_list', encodeRange(state.range), filters],
    read: async (page, signal) => {
      const time = timesOf(state);
      return (await call('auditLogs_list', { query: { ...filters, ...time, ...page } }, { signal })).data;
    },
    rowsOf,
    totalOf,
  });
}
