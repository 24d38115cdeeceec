import { memo, type ReactElement } from 'react';
import { cents, centsToE8, exactText } from '../../../api';
import { GoLink, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { Count, Delta, Duration, Money, Percent } from '../../../ui/primitives';
import { logsAddress } from '../log-link';
import { Tile } from './tile';
import { useSteady, type Windows } from '../../../live/use-window';

const text = home.tiles;
const NONE: readonly never[] = [];

interface TilesProps {
  readonly range: Windows;
  /** True to compare the figures with those of the range before. */
  readonly isCompared: boolean;
}

/** Tiles of requests, spend, errors, latency and cache savings. */
function TilesOf(props: TilesProps): ReactElement {
  return (
    <div className="home-tiles">
      <RequestsTile {...props} />
      <SpendTile {...props} />
      <ErrorsTile {...props} />
      <LatencyTile {...props} />
      <SavedTile {...props} />
    </div>
  );
}

/** Tiles of requests, spend, errors, latency and cache savings, memoised. */
export const Tiles = memo(TilesOf);

/** Relative change against the range before; null when that was 0 or is unknown. */
export const ratioOf = (now: number | undefined, before: number | undefined): number | null =>
  now === undefined || before === undefined || before === 0 ? null : now / before - 1;

/** Difference to the range before; null when one of the two values is unknown. */
const differenceOf = (now: number | undefined, before: number | undefined): number | null =>
  now === undefined || before === undefined ? null : now - before;

/** Parameters of the reads for the range and for the range before. */
function queriesOf(workspace_id: string, { range }: TilesProps) {
  return {
    now: { query: { workspace_id, ...range.now } },
    before: { query: { workspace_id, ...range.before } },
  };
}

function RequestsTile(props: TilesProps): ReactElement {
  const queries = queriesOf(useWorkspace().id, props);
  const now = useSteady('analyticsGraphs_requests', queries.now);
  const before = useSteady('analyticsGraphs_requests', queries.before, props.isCompared).data;
  const total = now.data?.summary.total;
  return (
    <Tile
      title={text.requests}
      query={now}
      value={<Count value={total ?? null} compact />}
      detail={text.perSecond((total ?? 0) / (props.range.ms / 1_000))}
      delta={props.isCompared && <Delta value={ratioOf(total, before?.summary.total)} />}
      values={(now.data?.data_points ?? NONE).map((point) => point.total)}
      color="c1"
    />
  );
}

function SpendTile(props: TilesProps): ReactElement {
  const queries = queriesOf(useWorkspace().id, props);
  const now = useSteady('analyticsGraphs_cost', queries.now);
  const before = useSteady('analyticsGraphs_cost', queries.before, props.isCompared).data;
  const total = now.data?.summary.total;
  const spent = centsToE8(cents(total ?? 0));
  return (
    <Tile
      title={text.spend}
      query={now}
      value={<Money e8={spent} as="human" />}
      detail={<span className="private">{text.exactly(exactText(spent))}</span>}
      delta={props.isCompared && <Delta value={ratioOf(total, before?.summary.total)} />}
      values={(now.data?.data_points ?? NONE).map((point) => point.total)}
      color="c2"
    />
  );
}

/**
 * Failed requests in percent, as in the graph `errors/rate`; undefined when one of the two counts
 * is unknown.
 */
const rateOf = (failed: number | undefined, all: number | undefined): number | undefined =>
  failed === undefined || all === undefined ? undefined : all === 0 ? 0 : (failed * 100) / all;

function ErrorsTile(props: TilesProps): ReactElement {
  const { id, slug } = useWorkspace();
  const queries = queriesOf(id, props);
  const errors = useSteady('analyticsGraphs_errors', queries.now);
  // Other tiles read both graphs anyway, so the rate needs no extra call.
  const requests = useSteady('analyticsGraphs_requests', queries.now);
  const before = {
    errors: useSteady('analyticsGraphs_errors', queries.before, props.isCompared).data,
    requests: useSteady('analyticsGraphs_requests', queries.before, props.isCompared).data,
  };
  const all = requests.data?.data_points ?? NONE;
  const rate = rateOf(errors.data?.summary.total, requests.data?.summary.total);
  const change = differenceOf(rate, rateOf(before.errors?.summary.total, before.requests?.summary.total));
  return (
    <Tile
      title={text.errors}
      query={{
        data: requests.data && errors.data,
        error: errors.error ?? requests.error,
        refetch: () => Promise.all([errors.refetch(), requests.refetch()]),
      }}
      value={<Percent ratio={rate === undefined ? null : rate / 100} />}
      detail={
        errors.data !== undefined && (
          <GoLink to={logsAddress(slug, 'success', 'no')}>{text.failed(errors.data.summary.total)}</GoLink>
        )
      }
      delta={
        props.isCompared && (
          <Delta value={change === null ? null : change / 100} unit="points" better="down" />
        )
      }
      values={(errors.data?.data_points ?? NONE).map(({ total }, at) => rateOf(total, all[at]?.total) ?? 0)}
      color="c4"
    />
  );
}

/** A latency of a range or point; undefined when it has no request, for which the API reports 0. */
const latencyOf = (ms: number | undefined, requests: number | undefined): number | undefined =>
  requests === 0 ? undefined : ms;

function LatencyTile(props: TilesProps): ReactElement {
  const queries = queriesOf(useWorkspace().id, props);
  const now = useSteady('analyticsGraphs_latency', queries.now);
  const before = useSteady('analyticsGraphs_latency', queries.before, props.isCompared).data;
  // Another tile reads the requests anyway.
  const requests = useSteady('analyticsGraphs_requests', queries.now).data;
  const requestsBefore = useSteady('analyticsGraphs_requests', queries.before, props.isCompared).data;
  const summary = now.data?.summary;
  const p90 = latencyOf(summary?.p90, requests?.summary.total);
  return (
    <Tile
      title={text.latency}
      query={now}
      value={<Duration ms={p90 ?? null} />}
      detail={
        <>
          {text.median} <Duration ms={latencyOf(summary?.p50, requests?.summary.total) ?? null} />
        </>
      }
      delta={
        props.isCompared && (
          <Delta
            value={differenceOf(p90, latencyOf(before?.summary.p90, requestsBefore?.summary.total))}
            unit="duration"
            better="down"
          />
        )
      }
      values={(now.data?.data_points ?? NONE).map(
        (point, at) => latencyOf(point.p90, requests?.data_points[at]?.total) ?? null,
      )}
      color="c3"
    />
  );
}

function SavedTile({ range }: TilesProps): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const query = useSteady('analyticsGraphs_hitRate', { query: { workspace_id, ...range.now } });
  // Savings are cumulative: each point is the sum up to its time.
  const saved = (query.data?.data_points ?? NONE).map(
    (point) => point.cumulative_simple_cache_savings + point.cumulative_semantic_cache_savings,
  );
  return (
    <Tile
      title={text.saved}
      query={query}
      value={<Money e8={centsToE8(cents(saved.at(-1) ?? 0))} as="human" />}
      detail={
        <>
          <Percent ratio={(query.data?.summary.rate ?? 0) / 100} /> {text.ofRequests}
        </>
      }
      delta={false}
      values={saved}
      color="c6"
    />
  );
}
