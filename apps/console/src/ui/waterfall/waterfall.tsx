import { useMemo, type ReactElement } from 'react';
import { waterfallText as text } from '../../messages/en/waterfall';
import { duration } from '../format';
import { Icon } from '../icons/icon';
import { ProviderMark } from '../primitives/marks';
import { laneWords, shortTarget } from './lane-words';
import { waterfallLayout } from './waterfall-layout';
import type { Lane, WaterfallRecord } from './waterfall-lanes';

export interface WaterfallProps {
  readonly record: WaterfallRecord;
  /** Key of the selected lane; null for none. */
  readonly selected?: string | null;
  /** Called for a click or Enter on a lane; null when the selected lane is chosen again. */
  readonly onSelect?: (lane: Lane | null) => void;
}

/** Waterfall of a request's time, with a labelled lane for each call, wait and guardrail. */
export function Waterfall({ record, selected = null, onSelect }: WaterfallProps): ReactElement {
  const { lanes, totalMs, unplaced } = useMemo(() => waterfallLayout(record), [record]);
  return (
    <section className="waterfall" aria-label={text.title(duration(totalMs))}>
      <header className="row">
        <h3>{text.title(duration(totalMs))}</h3>
        <span className="right xxs muted num" aria-hidden="true">
          {scaleOf(totalMs)}
        </span>
      </header>
      <ol className="waterfall-lanes" aria-label={text.list}>
        {lanes.map((lane) => (
          <LaneRow
            key={lane.key}
            lane={lane}
            totalMs={totalMs}
            isSelected={lane.key === selected}
            onSelect={onSelect}
          />
        ))}
      </ol>
      {!lanes.some(({ kind }) => kind === 'attempt') && <p className="xs muted">{text.noCall}</p>}
      {unplaced.length > 0 && (
        <p className="xs muted">
          {text.unplaced}:{' '}
          {unplaced.map(({ event, target }) => `${shortTarget(target)} ${text.event(event)}`).join(', ')}
        </p>
      )}
    </section>
  );
}

interface LaneRowProps {
  readonly lane: Lane;
  readonly totalMs: number;
  readonly isSelected: boolean;
  readonly onSelect: ((lane: Lane | null) => void) | undefined;
}

function LaneRow({ lane, totalMs, isSelected, onSelect }: LaneRowProps): ReactElement {
  const { name, detail, label, facts } = laneWords(lane);
  const percent = (ms: number): number => (totalMs === 0 ? 0 : (ms / totalMs) * 100);
  const [left, right] = [percent(lane.from), percent(lane.to)];
  const content = (
    <>
      <span className="waterfall-name">
        <span className="ell">
          {lane.kind === 'attempt' ? (
            <ProviderMark provider={lane.attempt.provider || null}>{name}</ProviderMark>
          ) : (
            name
          )}
        </span>
        <span className="xxs muted ell">{detail}</span>
      </span>
      <span className="waterfall-track">
        <span
          className="waterfall-bar"
          data-tone={lane.tone}
          style={{ left: `${left}%`, width: `${right - left}%` }}
        />
        {lane.kind === 'attempt' && lane.firstByteMs !== null && (
          <span className="waterfall-mark" style={{ left: `${percent(lane.firstByteMs)}%` }} />
        )}
        <LaneLabel
          lane={lane}
          label={label}
          left={left}
          right={right}
          firstByte={firstByteOf(lane, percent)}
        />
      </span>
    </>
  );
  const title = facts.join('\n');
  if (onSelect === undefined) {
    return (
      <li className="waterfall-lane" title={title}>
        {content}
      </li>
    );
  }
  return (
    <li>
      <button
        type="button"
        className="plain-button waterfall-lane"
        title={title}
        aria-pressed={isSelected}
        onClick={() => onSelect(isSelected ? null : lane)}
      >
        {content}
      </button>
    </li>
  );
}

const firstByteOf = (lane: Lane, percent: (ms: number) => number): number | null =>
  lane.kind === 'attempt' && lane.firstByteMs !== null ? percent(lane.firstByteMs) : null;

interface LaneLabelProps {
  readonly lane: Lane;
  readonly label: string;
  readonly left: number;
  readonly right: number;
  readonly firstByte: number | null;
}

/** Label of a lane, placed on a long bar, else after the bar, else before it. */
function LaneLabel({ lane, label, left, right, firstByte }: LaneLabelProps): ReactElement {
  const isWinner = lane.kind === 'attempt' && lane.isWinner;
  const words = (
    <>
      {isWinner && <Icon name="check" size={11} />}
      {label}
    </>
  );
  const start = firstByte ?? left;
  if ((lane.tone === 'answered' || lane.tone === 'waited') && right - start >= 48) {
    return (
      <span className="waterfall-label waterfall-label-on" style={{ left: `${start}%` }}>
        {words}
      </span>
    );
  }
  if (100 - right >= left) {
    return (
      <span className="waterfall-label" style={{ left: `${right}%` }}>
        {words}
      </span>
    );
  }
  return (
    <span className="waterfall-label waterfall-label-before" style={{ right: `${100 - left}%` }}>
      {words}
    </span>
  );
}

/** Scale above the lanes, such as `0 · 0.75 · 1.50 · 2.25 · 3.00 s`. */
function scaleOf(totalMs: number): string {
  const last = duration(totalMs);
  if (totalMs < 1000 || totalMs >= 60_000) return `0 · ${duration(totalMs / 2)} · ${last}`;
  const ticks = [0.25, 0.5, 0.75].map((part) => ((totalMs * part) / 1000).toFixed(2));
  return ['0', ...ticks, last].join(' · ');
}
