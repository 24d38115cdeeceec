import type { ReactNode } from 'react';
import { e8 } from '../../../api';
import type { LogRow } from '../../../live';
import { logs } from '../../../messages/en/logs';
import { bytes, count } from '../../../ui/format';
import type { Column } from '../../../ui/grid';
import {
  Badge,
  Duration,
  Id,
  Moment,
  Money,
  ProviderMark,
  StatusBadge,
  Tokens,
  type Priced,
} from '../../../ui/primitives';
import { shortTarget } from '../../../ui/waterfall';
import type { LogColumnId } from './column-ids';
import { cutWord, happenedIn } from './happened';

const head = logs.columns;

function Happening({ row }: { readonly row: LogRow }): ReactNode {
  const happened = happenedIn(row);
  if (happened === null) return null;
  const { tone, word, title } = happened;
  return (
    <Badge tone={tone} title={title}>
      {word}
    </Badge>
  );
}

/** Formats metadata as `team=search plan=paid`. */
export const metadataText = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const column = (
  id: LogColumnId,
  width: number,
  cell: (row: LogRow) => ReactNode,
  more: Partial<Column<LogRow>> = {},
): Column<LogRow> => ({ id, header: head[id], width, cell, ...more });

const right = { align: 'right' } as const;
const extra = { optional: true } as const;
const mono = (text: string | null): ReactNode => (text === null ? null : <code className="ell">{text}</code>);

/** Columns of the list. `keyName` returns the name of an API key, or null when unknown. */
export const logColumns = (keyName: (id: string | null) => string | null): readonly Column<LogRow>[] => [
  column('time', 108, (row) => <Moment at={row.created_at} as="list" />),
  column('status', 62, (row) => <StatusBadge status={row.response_status_code} word={cutWord(row)} />),
  column(
    'model',
    130,
    (row) => (
      <ProviderMark provider={row.provider}>{row.model ?? row.mcp_capability ?? row.route}</ProviderMark>
    ),
    { grow: 2 },
  ),
  column(
    'key',
    84,
    (row) => {
      const name = keyName(row.api_key_id);
      if (name !== null) return <span className="ell sub">{name}</span>;
      return row.api_key_id === null ? null : <Id id={row.api_key_id} />;
    },
    { grow: 1 },
  ),
  column('happened', 120, (row) => <Happening row={row} />),
  column('took', 72, (row) => <Duration ms={row.response_time} />, right),
  column(
    'cost',
    104,
    (row) => <Money e8={row.cost_exact === null ? null : e8(row.cost_exact)} priced={row.priced as Priced} />,
    right,
  ),
  column('route', 140, (row) => mono(row.route), extra),
  column('tokens', 110, (row) => <Tokens input={row.req_units} output={row.res_units} />, {
    ...extra,
    ...right,
  }),
  column('first_byte', 90, (row) => <Duration ms={row.first_byte_ms} />, { ...extra, ...right }),
  column('config', 130, (row) => mono(row.config_id), extra),
  column('target', 120, (row) => mono(row.target_path === null ? null : shortTarget(row.target_path)), extra),
  column('retries', 70, (row) => count(row.retries), { ...extra, ...right }),
  column('cache', 110, (row) => mono(row.cache_status), extra),
  column('user', 130, (row) => (row.user_id === null ? null : <Id id={row.user_id} />), extra),
  column(
    'metadata',
    180,
    (row) => <span className="ell mono private">{metadataText(row.metadata)}</span>,
    extra,
  ),
  column('trace', 150, (row) => <Id id={row.trace_id} />, extra),
  column('gateway', 120, (row) => mono(row.gateway_id), extra),
  column(
    'bytes',
    120,
    (row) => (
      <span className="num">
        {bytes(row.request_bytes)} + {bytes(row.response_bytes)}
      </span>
    ),
    { ...extra, ...right },
  ),
  column('id', 170, (row) => <Id id={row.id} />, extra),
];
