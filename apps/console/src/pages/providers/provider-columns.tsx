import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { ResponseOf } from '../../api';
import { providers } from '../../messages';
import { e8OfCents } from '../../ui/format';
import type { Column } from '../../ui/grid';
import { Badge, Count, Duration, Moment, Money, Percent, type Tone } from '../../ui/primitives';
import { BudgetMeter } from '../fields/budget-meter';
import { ratesWords } from '../fields/limit-words';
import { ratioOf } from '../list/ratio-of';
import type { Provider } from './provider-types';
import type { Listed } from './use-listed';

export type Use = ResponseOf<'analyticsGroups_by'>['data'][number];

const TONES: Readonly<Record<Provider['status'], Tone>> = {
  active: 'ok',
  exhausted: 'danger',
  expired: 'warn',
  archived: 'neutral',
};

export function ProviderStatus({ status }: Pick<Provider, 'status'>): ReactElement {
  return <Badge tone={TONES[status]}>{providers.status[status] ?? status}</Badge>;
}

function nameColumns(ws: string): readonly Column<Listed>[] {
  const { columns: titles } = providers;
  const name = ({ slug, name: text }: Listed): ReactElement => (
    <Link to="/w/$ws/providers/$provider" params={{ ws, provider: slug }} className="ell" tabIndex={-1}>
      {text}
    </Link>
  );
  return [
    { id: 'name', header: titles.name, width: 170, grow: 2, sort: 'name', cell: name },
    {
      id: 'slug',
      header: titles.slug,
      width: 140,
      grow: 1,
      cell: ({ slug }) => <code className="ell">@{slug}</code>,
    },
    {
      id: 'integration',
      header: titles.integration,
      width: 140,
      optional: true,
      cell: ({ behind }) => behind,
    },
    {
      id: 'kind',
      header: titles.kind,
      width: 110,
      cell: ({ isVirtualKey }) => (isVirtualKey ? providers.kinds.virtualKey : providers.kinds.provider),
    },
  ];
}

/**
 * Columns of the use, which is by slug; no columns when it is null, because the caller may not see
 * it.
 */
function columnsOfUse(use: ReadonlyMap<string, Use> | null): readonly Column<Listed>[] {
  const { columns: titles } = providers;
  if (use === null) return [];
  const of = ({ slug }: Listed): Use | undefined => use.get(slug);
  return [
    {
      id: 'requests',
      header: titles.requests,
      width: 130,
      align: 'right',
      cell: (row) => <Count value={of(row)?.requests ?? null} />,
    },
    {
      id: 'success',
      header: titles.success,
      width: 90,
      align: 'right',
      cell: (row) => <Percent ratio={ratioOf(of(row)?.success_rate)} />,
    },
    {
      id: 'latency',
      header: titles.latency,
      width: 90,
      align: 'right',
      cell: (row) => <Duration ms={of(row)?.p95_latency ?? null} />,
    },
    {
      id: 'spend',
      header: titles.spend,
      width: 120,
      align: 'right',
      cell: (row) => <Money e8={e8OfCents(of(row)?.cost)} as="human" />,
    },
  ];
}

export function columnsOf(ws: string, use: ReadonlyMap<string, Use> | null): readonly Column<Listed>[] {
  const { columns: titles } = providers;
  return [
    ...nameColumns(ws),
    ...columnsOfUse(use),
    {
      id: 'budget',
      header: titles.budget,
      width: 190,
      grow: 1,
      cell: ({ usage_limits }) => <BudgetMeter limit={usage_limits} size="small" />,
    },
    {
      id: 'rates',
      header: titles.rates,
      width: 150,
      grow: 1,
      optional: true,
      cell: ({ rate_limits }) => <span className="ell">{ratesWords(rate_limits)}</span>,
    },
    {
      id: 'uses',
      header: titles.uses,
      width: 130,
      cell: ({ used_by }) =>
        used_by === undefined ? null : providers.uses(used_by.configs, used_by.api_keys),
    },
    {
      id: 'expires',
      header: titles.expires,
      width: 130,
      sort: 'expires_at',
      cell: ({ expires_at }) =>
        expires_at === null ? <span className="muted">{providers.never}</span> : <Moment at={expires_at} />,
    },
    {
      id: 'status',
      header: titles.status,
      width: 110,
      cell: ({ status }) => <ProviderStatus status={status} />,
    },
    {
      id: 'created',
      header: titles.created,
      width: 130,
      sort: 'created_at',
      optional: true,
      cell: ({ created_at }) => <Moment at={created_at} />,
    },
  ];
}
