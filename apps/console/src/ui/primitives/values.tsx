import type { ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import {
  change,
  compactCount,
  count,
  directionOf,
  duration,
  durationChange,
  percent,
  unknown,
} from '../format';
import { useFormat } from './format-context';

/** Shows a count with group separators, or in compact form with the whole number in its tooltip. */
export function Count({
  value,
  compact = false,
}: {
  readonly value: number | null;
  readonly compact?: boolean;
}): ReactElement {
  const { locale } = useFormat();
  const whole = count(value, locale);
  const shown = compact ? compactCount(value, locale) : whole;
  return (
    <span className="num" title={shown === whole ? undefined : whole}>
      {shown}
    </span>
  );
}

/** Shows a duration in milliseconds. */
export function Duration({ ms }: { readonly ms: number | null }): ReactElement {
  const exact = ms === null || Number.isInteger(ms) ? undefined : `${ms.toFixed(3)} ms`;
  return (
    <span className="num nowrap" title={exact}>
      {duration(ms)}
    </span>
  );
}

/** Shows a ratio from 0 to 1 as a percentage. */
export function Percent({ ratio }: { readonly ratio: number | null }): ReactElement {
  const { locale } = useFormat();
  return <span className="num nowrap">{percent(ratio, locale)}</span>;
}

export interface DeltaProps {
  /** A ratio for `ratio` and `points`, milliseconds for `duration`; null when unknown. */
  readonly value: number | null;
  readonly unit?: 'ratio' | 'points' | 'duration';
  /** Direction that counts as good; absent for neither, which shows no colour. */
  readonly better?: 'up' | 'down';
}

/** Shows a signed change against an earlier value. */
export function Delta({ value, unit = 'ratio', better }: DeltaProps): ReactElement {
  const { locale } = useFormat();
  const text = unit === 'duration' ? durationChange(value) : change(value, unit, locale);
  const direction = directionOf(text);
  const tone =
    better === undefined || direction === 'none' ? 'muted' : direction === better ? 'tone-ok' : 'tone-danger';
  return <span className={`num nowrap ${tone}`}>{text}</span>;
}

export interface TokensProps {
  readonly input: number | null;
  readonly output: number | null;
}

/** Shows input and output tokens, such as `868 + 113`. */
export function Tokens({ input, output }: TokensProps): ReactElement {
  const { locale } = useFormat();
  if (input === null && output === null) return <span className="muted">{unknown}</span>;
  return (
    <span className="num nowrap" title={uiText.tokens(count(input, locale), count(output, locale))}>
      {count(input, locale)} + {count(output, locale)}
    </span>
  );
}
