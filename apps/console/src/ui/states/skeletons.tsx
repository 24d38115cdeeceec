import { useEffect, useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';

/** Milliseconds without anything, so that fast answers do not flash. */
const DELAY_MS = 150;

export interface SkeletonsProps {
  /** The shape of what will be there. */
  readonly shape: 'table' | 'tiles' | 'lines' | 'chart' | 'form';
  /** Rows, tiles or lines. */
  readonly count?: number;
}

const COUNTS: Readonly<Record<SkeletonsProps['shape'], number>> = {
  table: 8,
  tiles: 4,
  lines: 5,
  chart: 1,
  form: 4,
};

/** The shape of a page without data, from 150 ms on. `data-loading` marks it from the start on. */
export function Skeletons({ shape, count = COUNTS[shape] }: SkeletonsProps): ReactElement {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return <div data-loading hidden />;
  return (
    <div className={`skeletons skeletons-${shape}`} role="status" data-loading>
      <span className="visually-hidden">{uiText.states.loading}</span>
      {Array.from({ length: count }, (_, at) => (
        <div key={at} className="skeleton" aria-hidden="true" />
      ))}
    </div>
  );
}
