import type { ReactElement } from 'react';
import { e8, type E8 } from '../../../api';
import { logDetail } from '../../../messages/en/log-detail';
import { count, pricePerMillion, unknown } from '../../../ui/format';
import { Money, useFormat, type Priced } from '../../../ui/primitives';
import { costOf, moneyOf, type Decision, type LogDetail } from './record';

const text = logDetail.money;

interface Props {
  readonly log: LogDetail;
  readonly decision: Decision;
}

/** Table of the cost: quantity times price of each unit, and the cost of the other attempts. */
export function MoneyLines({ log, decision }: Props): ReactElement {
  const { locale } = useFormat();
  const lines = decision.price?.lines ?? [];
  const total = costOf(log);
  const rest =
    total === null
      ? null
      : restOf(
          total,
          lines.map(({ cost }) => moneyOf(cost)),
        );
  return (
    <table className="log-money">
      <caption className="visually-hidden">{text.lines}</caption>
      <tbody>
        {lines.map((line, at) => (
          <tr key={at}>
            <th scope="row">
              {text.line(
                count(line.quantity, locale),
                text.unit(line.unit),
                priceOf(line.pricePerMillion, locale),
              )}
            </th>
            <td>
              <Money e8={moneyOf(line.cost)} />
            </td>
          </tr>
        ))}
        {rest !== null && rest !== 0n && (
          <tr>
            <th scope="row">{text.rest}</th>
            <td>
              <Money e8={rest} />
            </td>
          </tr>
        )}
        <tr className="log-money-total">
          <th scope="row">{text.total}</th>
          <td>
            <Money e8={total} priced={log.priced as Priced} />
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function priceOf(units: number, locale: string): string {
  const price = moneyOf(units);
  return price === null ? unknown : pricePerMillion(price, locale);
}

/**
 * Part of the total that the lines do not cover, such as retries and guardrails; null when a line
 * is unknown.
 */
function restOf(total: E8, lines: readonly (E8 | null)[]): E8 | null {
  if (lines.length === 0) return null;
  let rest: bigint = total;
  for (const line of lines) {
    if (line === null) return null;
    rest -= line;
  }
  return e8(rest.toString());
}
