import type { ReactElement, ReactNode } from 'react';
import { problemFrom } from '../../../api';
import { home } from '../../../messages';
import { Spark, type SeriesColor } from '../../../ui/charts';
import { Failed, Skeletons } from '../../../ui/states';

export interface TileProps {
  readonly title: string;
  readonly query: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
  readonly value: ReactNode;
  readonly detail: ReactNode;
  readonly delta: ReactNode;
  /** Values of the sparkline; null is a gap. */
  readonly values: readonly (number | null)[];
  readonly color: SeriesColor;
}

/** Tile with a figure, its change, and a sparkline. */
export function Tile({ title, query, value, detail, delta, values, color }: TileProps): ReactElement {
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
          <Spark values={values} label={home.tiles.spark(title)} color={color} />
        </span>
      </div>
      <p className="xs sub">{detail}</p>
    </section>
  );
}
