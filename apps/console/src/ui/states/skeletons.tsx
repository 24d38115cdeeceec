import { useEffect, useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';

/** Delay in milliseconds before skeletons appear, so that fast responses do not flicker. */
const DELAY_MS = 150;

export interface SkeletonsProps {
  /** Shape of the expected content. */
  readonly shape: 'table' | 'tiles' | 'lines' | 'chart' | 'form';
  /** Number of rows, tiles or lines. */
  readonly count?: number;
}

const COUNTS: Readonly<Record<SkeletonsProps['shape'], number>> = {
  table: 8,
  tiles: 4,
  lines: 5,
  chart: 1,
  form: 4,
};

/** Placeholders while data loads, shown after 150 ms. `data-loading` is set from the start. */
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
