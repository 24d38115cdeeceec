import { useEffect, useState, type ReactElement } from 'react';
import { bothZones, clock, clockSeconds, moment, parseMoment, relative, unknown } from '../format';
import { useFormat } from './format-context';

export interface MomentProps {
  /** ISO 8601 or Unix milliseconds; null when unknown. */
  readonly at: string | number | null;
  /** `list`: time of day with milliseconds. `seconds`: time of day. `full`: date and time. */
  readonly as?: 'list' | 'seconds' | 'full';
  /** True to add the age, such as `12 min ago`, within an hour. */
  readonly withAge?: boolean;
}

/** Shows a moment in the viewer's zone; the tooltip shows it in that zone and in UTC. */
export function Moment({ at, as = 'full', withAge = false }: MomentProps): ReactElement {
  const { zone } = useFormat();
  const time = typeof at === 'number' ? at : parseMoment(at);
  if (time === null) return <span className="muted">{unknown}</span>;
  const text =
    as === 'list' ? clock(time, zone) : as === 'seconds' ? clockSeconds(time, zone) : moment(time, zone);
  const title = (isNamed: boolean): string => bothZones(time, zone, isNamed).join('\n');
  return (
    <time
      className="num nowrap"
      dateTime={new Date(time).toISOString()}
      title={title(false)}
      onPointerEnter={({ currentTarget: element }) => {
        element.title = title(true);
      }}
    >
      {text}
      {withAge && <Age at={time} />}
    </time>
  );
}

function Age({ at }: { readonly at: number }): ReactElement | null {
  const now = useNow(10_000);
  const text = relative(at, now);
  return text === null ? null : <span className="muted">, {text}</span>;
}

/** The current time, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    // Reads depend on this time: a hidden tab makes none, and a tab that becomes visible updates
    // immediately.
    const tick = () => {
      if (document.visibilityState === 'visible') setNow(Date.now());
    };
    const timer = setInterval(tick, everyMs);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [everyMs]);
  return now;
}
