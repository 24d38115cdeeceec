import type { ReactElement, ReactNode } from 'react';
import { uiText } from '../../messages/en/ui';

export interface MeterProps {
  readonly label: string;
  /** Used amount. All amounts have the same unit. */
  readonly used: number;
  /** Amount reserved by in-flight requests, shown hatched after the used amount. */
  readonly held?: number;
  /** The limit; null for none, with an empty bar. */
  readonly limit: number | null;
  /** Amount at which an alert is sent, shown as a mark. */
  readonly alertAt?: number | null;
  /** Forecast amount at the reset. */
  readonly forecast?: number | null;
  /** Text to the right of the bar, such as `$3,412 of $4,000`. */
  readonly value: ReactNode;
  /** Accessible text of the value. */
  readonly valueText: string;
  /** Text below the bar, such as `Runs out 27 Nov, 4 days before its reset`. */
  readonly children?: ReactNode;
  readonly size?: 'normal' | 'small';
}

/** Meter of the used part of a limit, with the value as text next to the bar. */
export function Meter(props: MeterProps): ReactElement {
  const {
    label,
    used,
    held = 0,
    limit,
    alertAt = null,
    forecast = null,
    value,
    valueText,
    children,
    size = 'normal',
  } = props;
  const share = (amount: number): number =>
    limit === null || limit <= 0 ? 0 : Math.min(100, Math.max(0, (amount / limit) * 100));
  const tone = meterTone(used + held, limit, alertAt, forecast);
  return (
    <div className={`meter meter-${size}`} data-tone={tone}>
      <div className="row">
        <span className="ell meter-label">{label}</span>
        <span className="right num sub nowrap">{value}</span>
      </div>
      <div
        role="meter"
        className="meter-bar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit ?? used}
        aria-valuenow={Math.min(used, limit ?? used)}
        aria-valuetext={held > 0 ? uiText.meter.withHeld(valueText) : valueText}
      >
        {forecast !== null && forecast > used && (
          <i className="meter-forecast" style={{ width: `${share(forecast)}%` }} />
        )}
        {held > 0 && (
          <i
            className="meter-held"
            style={{ left: `${share(used)}%`, width: `${share(used + held) - share(used)}%` }}
          />
        )}
        <i className="meter-used" style={{ width: `${share(used)}%` }} />
        {alertAt !== null && limit !== null && <u style={{ left: `${share(alertAt)}%` }} />}
      </div>
      {children === undefined ? null : <div className="meter-note xs">{children}</div>}
    </div>
  );
}

/**
 * Tone of a meter. Danger: the limit is exhausted or nearly so. Warning: the alert amount is
 * reached, or the forecast exceeds the limit.
 */
export function meterTone(
  taken: number,
  limit: number | null,
  alertAt: number | null,
  forecast: number | null,
): 'normal' | 'warn' | 'danger' {
  if (limit === null) return 'normal';
  if (taken >= limit * 0.95) return 'danger';
  const isLate = (alertAt !== null && taken >= alertAt) || (forecast !== null && forecast > limit);
  return isLate ? 'warn' : 'normal';
}
