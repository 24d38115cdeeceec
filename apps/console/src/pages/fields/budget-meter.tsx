import type { ReactElement } from 'react';
import { limits } from '../../messages';
import { Meter } from '../../ui/charts/meter';
import { amountWords, budgetWords, type UsageLimit } from './limit-words';

/** Meter of the used part of a budget. */
export function BudgetMeter({
  limit,
  size = 'normal',
}: {
  readonly limit: UsageLimit | null;
  readonly size?: 'normal' | 'small';
}): ReactElement {
  if (limit === null) return <span className="muted">{limits.noBudget}</span>;
  const { type, credit_limit, current_usage = 0, alert_threshold } = limit;
  const words = limits.used(amountWords(type, current_usage), budgetWords(limit));
  return (
    <Meter
      label={limits.budget}
      used={current_usage}
      limit={credit_limit}
      alertAt={alert_threshold}
      value={words}
      valueText={words}
      size={size}
    />
  );
}
