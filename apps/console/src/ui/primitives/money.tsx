import type { ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { exactMoney, exactMoneyText, humanMoney, type Priced } from '../format';
import { useFormat } from './format-context';

export type { Priced } from '../format';

export interface MoneyProps {
  /** Amount in 1e-8 USD; null when unknown. */
  readonly e8: bigint | null;
  /**
   * `exact`: eight decimals, the last four dim. `human`: rounded for reading, the exact value in
   * the tooltip.
   */
  readonly as?: 'exact' | 'human';
  /** Source of the cost. Estimates are marked with ≈; an unknown cost is explained. */
  readonly priced?: Priced;
}

/** Shows an amount of money. Zero is `0`, unknown is `–` with its reason. */
export function Money({ e8, as = 'exact', priced = 'priced' }: MoneyProps): ReactElement {
  const { locale } = useFormat();
  if (e8 === null) {
    const reason = uiText.money.unknown(priced);
    return (
      <span className="num muted" title={reason}>
        –<span className="visually-hidden"> {reason}</span>
      </span>
    );
  }
  const estimate = priced === 'estimated' ? '≈ ' : '';
  const amount = exactMoneyText(e8);
  const exact = estimate === '' ? uiText.money.exactly(amount) : uiText.money.about(amount);
  if (as === 'human') {
    return (
      <span className="num private nowrap" title={exact}>
        {estimate}
        {humanMoney(e8, locale)}
      </span>
    );
  }
  const { head, tail } = exactMoney(e8);
  return (
    <span className="num private nowrap" title={estimate === '' ? undefined : uiText.money.estimated}>
      {estimate}
      {head}
      <span className="muted">{tail}</span>
    </span>
  );
}
