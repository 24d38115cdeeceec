import type { ReactElement, ReactNode } from 'react';
import { cents, centsToE8, exactText, problemFrom } from '../../../api';
import { useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { Spark, type SeriesColor } from '../../../ui/charts';
import { Count, Delta, Duration, Money, Percent } from '../../../ui/primitives';
import { Failed, Skeletons } from '../../../ui/states';
import type { useWindow } from './use-window';
import { useSteady } from './use-window';

const text = home.tiles;

interface TileProps {
  readonly title: string;
  readonly query: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
  readonly value: ReactNode;
  readonly detail: ReactNode;
  readonly delta: ReactNode;
  readonly values: readonly number[];
  readonly color: SeriesColor;
}

function Tile({ title, query, value, detail, delta, values, color }: TileProps): ReactElement {
  if (query.data === undefined)
    return (
      <section className="pane home-tile" aria-label={title}>
        <h2>{title}</h2>
        {query.error === null ? (
          <Skeletons shape="lines" count={2} />
        ) : (
          <Failed problem={problemFrom(query.error)} onRetry={() => void query.refetch()} />
        )}
      </section>
    );
  return (
    <section className="pane home-tile" aria-label={title}>
      <header className="row">
        <h2>{title}</h2> <span className="right xs">{delta}</span>
      </header>
      <div className="row">
        <b className="home-tile-value num">{value}</b>
        <span className="right">
          <Spark values={values} label={text.spark(title)} color={color} />
        </span>
      </div>
      <p className="xs sub">{detail}</p>
    </section>
  );
}

/** Change against the range before; null where there was nothing. */
export const ratioOf = (now: number | undefined, before: number | undefined): number | null =>
  now === undefined || before === undefined || before === 0 ? null : now / before - 1;

const savingsOf = (points: readonly { readonly simple: number; readonly semantic: number }[]): number =>
  points.reduce((most, { simple, semantic }) => Math.max(most, simple + semantic), 0);

interface TilesProps {
  readonly range: ReturnType<typeof useWindow>;
  /** Beside the range before. */
  readonly isCompared: boolean;
}

/** Requests, spend, errors, latency and what the cache has saved. */
export function Tiles({ range, isCompared }: TilesProps): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const now = { query: { workspace_id, ...range.now } };
  const before = { query: { workspace_id, ...range.before } };
  const requests = useSteady('analyticsGraphs_requests', now);
  const cost = useSteady('analyticsGraphs_cost', now);
  const rate = useSteady('analyticsGraphs_errorRate', now);
  const errors = useSteady('analyticsGraphs_errors', now);
  const latency = useSteady('analyticsGraphs_latency', now);
  const cache = useSteady('analyticsGraphs_hitRate', now);
  const earlier = {
    requests: useSteady('analyticsGraphs_requests', before, isCompared).data?.summary.total,
    cost: useSteady('analyticsGraphs_cost', before, isCompared).data?.summary.total,
    rate: useSteady('analyticsGraphs_errorRate', before, isCompared).data?.summary.rate,
    p90: useSteady('analyticsGraphs_latency', before, isCompared).data?.summary.p90,
  };
  const spent = centsToE8(cents(cost.data?.summary.total ?? 0));
  const saved = (cache.data?.data_points ?? []).map((point) => ({
    simple: point.cumulative_simple_cache_savings,
    semantic: point.cumulative_semantic_cache_savings,
  }));
  const p90 = latency.data?.summary.p90 ?? null;
  const errorRate = rate.data?.summary.rate;
  const total = requests.data?.summary.total;
  return (
    <div className="home-tiles">
      <Tile
        title={text.requests}
        query={requests}
        value={<Count value={total ?? 0} compact />}
        detail={text.perSecond((total ?? 0) / (range.ms / 1_000))}
        delta={isCompared && <Delta value={ratioOf(total, earlier.requests)} />}
        values={(requests.data?.data_points ?? []).map((point) => point.total)}
        color="c1"
      />
      <Tile
        title={text.spend}
        query={cost}
        value={<Money e8={spent} as="human" />}
        detail={<span className="private">{text.exactly(exactText(spent))}</span>}
        delta={isCompared && <Delta value={ratioOf(cost.data?.summary.total, earlier.cost)} />}
        values={(cost.data?.data_points ?? []).map((point) => point.total)}
        color="c2"
      />
      <Tile
        title={text.errors}
        query={rate}
        value={<Percent ratio={(errorRate ?? 0) / 100} />}
        detail={text.failed(errors.data?.summary.total ?? 0)}
        delta={
          isCompared &&
          errorRate !== undefined &&
          earlier.rate !== undefined && (
            <Delta value={(errorRate - earlier.rate) / 100} unit="points" better="down" />
          )
        }
        values={(rate.data?.data_points ?? []).map((point) => point.rate)}
        color="c4"
      />
      <Tile
        title={text.latency}
        query={latency}
        value={<Duration ms={p90} />}
        detail={
          <>
            {text.median} <Duration ms={latency.data?.summary.p50 ?? null} />
          </>
        }
        delta={
          isCompared &&
          p90 !== null &&
          earlier.p90 !== undefined && <Delta value={p90 - earlier.p90} unit="duration" better="down" />
        }
        values={(latency.data?.data_points ?? []).map((point) => point.p90)}
        color="c3"
      />
      <Tile
        title={text.saved}
        query={cache}
        value={<Money e8={centsToE8(cents(savingsOf(saved)))} as="human" />}
        detail={
          <>
            <Percent ratio={(cache.data?.summary.rate ?? 0) / 100} /> {text.ofRequests}
          </>
        }
        delta={false}
        values={saved.map(({ simple, semantic }) => simple + semantic)}
        color="c6"
      />
    </div>
  );
}
