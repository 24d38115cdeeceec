import type { ReactElement } from 'react';
import { logDetail } from '../../../messages/en/log-detail';
import { count } from '../../../ui/format';
import { Badge, KeyValues, Money, Note, useFormat, type Priced } from '../../../ui/primitives';
import { MoneyLines } from './money-lines';
import { costOf, moneyOf, type Decision, type LogDetail } from './record';

const text = logDetail.money;

interface Props {
  readonly log: LogDetail;
  readonly decision: Decision;
}

/** Tab with the price lines, the charges by counter, and the source of the cost. */
export function MoneyTab({ log, decision }: Props): ReactElement {
  const { price, cache } = decision;
  const items = [
    [text.exact, <Money key="exact" e8={costOf(log)} priced={log.priced as Priced} />],
    [text.priced, text.pricedWord(log.priced)],
    [text.source, price === null || price === undefined ? text.none : `${price.source} ${price.model ?? ''}`],
    ...(cache?.savedCost === undefined
      ? []
      : [[text.saved, <Money key="saved" e8={moneyOf(cache.savedCost)} />] as const]),
  ] as const;
  return (
    <div className="col">
      {log.priced === 'unpriced' && <Note tone="warn">{text.unpriced(log.model ?? log.route)}</Note>}
      <KeyValues items={items} />
      <h3>{text.lines}</h3>
      <MoneyLines log={log} decision={decision} />
      <Charges decision={decision} />
    </div>
  );
}

function Charges({ decision: { charges } }: { readonly decision: Decision }): ReactElement {
  const { locale } = useFormat();
  if (charges.length === 0) return <p className="xs muted">{text.noCharges}</p>;
  return (
    <table className="log-charges">
      <caption>{text.charges}</caption>
      <thead>
        <tr>
          <th scope="col">{text.chargeLine}</th>
          <th scope="col">{text.chargeTokens}</th>
          <th scope="col">{text.chargeCost}</th>
          <th scope="col">{text.chargeCounters}</th>
        </tr>
      </thead>
      <tbody>
        {charges.map(({ line, provider, cost, tokens, flags, counters }, at) => (
          <tr key={at}>
            <th scope="row">
              {text.chargeOf(line, provider)}{' '}
              {flags.map((flag) => (
                <Badge key={flag} tone="outline">
                  {flag}
                </Badge>
              ))}
            </th>
            <td className="num">{count(tokens, locale)}</td>
            <td>
              <Money e8={moneyOf(cost)} priced={cost === null ? 'unpriced' : 'priced'} />
            </td>
            <td>
              {counters.map(([key], place) => (
                <code key={place} className="log-counter">
                  {key}
                </code>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
