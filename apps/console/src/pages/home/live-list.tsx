import { memo, type ReactElement, type ReactNode } from 'react';
import { e8, useRead } from '../../api';
import { GoLink, useCan, useWorkspace } from '../../app';
import type { LogRow, TailState } from '../../live';
import { home } from '../../messages';
import { clockSeconds } from '../../ui/format';
import { Dot, Duration, Money, ProviderMark, StatusBadge, useFormat, type Priced } from '../../ui/primitives';
import { Empty, Failed, Pane, Skeletons } from '../../ui/states';
import { logAddress } from './log-link';

/** Maximum number of shown rows. */
const SHOWN = 8;

interface LiveListProps {
  readonly tail: TailState<LogRow>;
  /** False to postpone reading the requests that ended before the stream began. */
  readonly readsEarlier?: boolean;
  readonly children?: ReactNode;
}

const NONE: readonly LogRow[] = [];

function LiveListOf({ tail, readsEarlier = true, children }: LiveListProps): ReactElement {
  const { slug, id: workspace_id } = useWorkspace();
  // Reads the requests that ended before the stream began.
  const list = useRead(
    'logs_list',
    { query: { workspace_id, page_size: SHOWN } },
    { enabled: useCan('logs_list') && readsEarlier },
  );
  const isWaiting = !readsEarlier || list.isLoading;
  const { zone } = useFormat();
  const tailIds = new Set(tail.rows.map(({ id }) => id));
  const rows = [...tail.rows, ...(list.data?.data ?? NONE).filter(({ id }) => !tailIds.has(id))].slice(
    0,
    SHOWN,
  );
  const isLive = tail.status === 'live';
  return (
    <Pane
      title={home.live.title}
      padding="flush"
      actions={
        <>
          <span className="row xs muted" role="status">
            <Dot tone={isLive ? 'ok' : 'off'} live={isLive} /> {home.live.status[tail.status]}
          </span>
          <GoLink to={`/w/${encodeURIComponent(slug)}/logs`} className="xs">
            {home.live.all}
          </GoLink>
        </>
      }
    >
      {tail.status === 'refused' && tail.problem !== null && <Failed problem={tail.problem} />}
      {rows.length === 0 && isWaiting && <Skeletons shape="lines" />}
      {rows.length === 0 && tail.status !== 'refused' && list.error !== null && (
        <Failed problem={list.error} onRetry={() => void list.refetch()} />
      )}
      {rows.length === 0 && !isWaiting && tail.status !== 'refused' && list.error === null && (
        <Empty title={home.live.empty}>{home.live.emptyText}</Empty>
      )}
      <ul className="home-live" aria-label={home.live.title}>
        {rows.map((row) => (
          <li key={row.id}>
            <GoLink to={logAddress(slug, row.id)} className="home-live-row">
              <span className="num muted">{clockSeconds(Date.parse(row.created_at), zone)}</span>
              <StatusBadge status={row.response_status_code} />
              <span className="ell">
                <ProviderMark provider={row.provider}>{row.model ?? row.route}</ProviderMark>
              </span>
              <span className="num">
                <Duration ms={row.response_time} />
              </span>
              <span className="num muted">
                <Money e8={e8(row.cost_exact ?? '')} priced={row.priced as Priced} as="human" />
              </span>
            </GoLink>
          </li>
        ))}
      </ul>
      {tail.skipped > 0 && <p className="xs muted home-live-note">{home.live.skipped(tail.skipped)}</p>}
      {children}
    </Pane>
  );
}

/** Live list of the newest requests, each with a link to its log. */
export const LiveList = memo(LiveListOf);
