import type { LimitState } from '@gw/contracts';
import type { ReactElement } from 'react';
import { logDetail } from '../../../../messages/en/log-detail';
import { Meter } from '../../../../ui/charts';
import { count, humanMoney, parseMoment, momentWithZone } from '../../../../ui/format';
import { Badge, useFormat } from '../../../../ui/primitives';
import { moneyOf } from '../record';

const text = logDetail.why;

/** Lists the limits that admitted or refused the request, with their state at that time. */
export function Limits({ limits }: { readonly limits: readonly LimitState[] }): ReactElement {
  return (
    <section aria-labelledby="log-limits" className="col">
      <h3 id="log-limits">{text.limits}</h3>
      {limits.length === 0 ? (
        <p className="xs muted">{text.noLimits}</p>
      ) : (
        limits.map((limit, at) => <LimitMeter key={at} limit={limit} />)
      )}
    </section>
  );
}

function LimitMeter({ limit: state }: { readonly limit: LimitState }): ReactElement {
  const { locale, zone } = useFormat();
  const { scope, type, limit, used, resetAt, verdict, id } = state;
  const amount = (units: number): string => {
    if (type !== 'cost') return count(units, locale);
    const money = moneyOf(units);
    return money === null ? count(units, locale) : humanMoney(money, locale);
  };
  const value = text.usedOf(amount(used), amount(limit));
  const reset = parseMoment(resetAt);
  return (
    <Meter
      label={text.limitName(text.scope(scope), text.limitType(type))}
      used={used}
      limit={limit}
      value={value}
      valueText={value}
      size="small"
    >
      <span title={id}>
        {verdict === 'refused' && <Badge tone="danger">{text.refusedWord}</Badge>}{' '}
        {reset === null ? null : text.resets(momentWithZone(reset, zone))}
      </span>
    </Meter>
  );
}
