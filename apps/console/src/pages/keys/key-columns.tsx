import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { keys } from '../../messages';
import { count } from '../../ui/format';
import type { Column } from '../../ui/grid';
import { Badge, Id, Moment, type Tone } from '../../ui/primitives';
import { ratesWords } from '../fields/limit-words';
import { BudgetMeter } from '../fields/budget-meter';
import type { ApiKey } from './key-types';
import type { UseOfKeys } from './use-key-use';

const TONES: Readonly<Record<ApiKey['status'], Tone>> = {
  active: 'ok',
  exhausted: 'danger',
  expired: 'warn',
  archived: 'neutral',
};

export function KeyStatus({ status }: Pick<ApiKey, 'status'>): ReactElement {
  return <Badge tone={TONES[status]}>{keys.status[status] ?? status}</Badge>;
}

function Rotates({ policy }: { readonly policy: ApiKey['rotation_policy'] }): ReactElement {
  if (policy?.next_rotation_at === undefined || policy.next_rotation_at === null)
    return <span className="muted">{keys.byHand}</span>;
  return <Moment at={policy.next_rotation_at} />;
}

interface Shown {
  readonly selfId: string;
  readonly ws: string;
  /** Use by key id; null when the caller may not see it. */
  readonly use: UseOfKeys | null;
}

export function columnsOf({ selfId, ws, use }: Shown): readonly Column<ApiKey>[] {
  const lastUse = ({ id }: ApiKey): ReactElement | null => {
    const own = use?.get(id);
    if (own === undefined) return null;
    const at = own?.last_seen;
    return at === undefined ? <span className="muted">{keys.notUsed}</span> : <Moment at={at} withAge />;
  };
  const owner = ({ user_id }: ApiKey): ReactElement | string => {
    if (user_id === null) return keys.workspaceOwner;
    return user_id === selfId ? keys.you : <Id id={user_id} />;
  };
  const name = ({ id, name: text }: ApiKey): ReactElement => (
    <Link to="/w/$ws/keys/$key" params={{ ws, key: id }} className="ell" tabIndex={-1}>
      {text}
    </Link>
  );
  const { columns: titles } = keys;
  return [
    { id: 'name', header: titles.name, width: 180, grow: 2, sort: 'name', cell: name },
    { id: 'key', header: titles.key, width: 110, cell: ({ key }) => <code>{key}</code> },
    { id: 'type', header: titles.type, width: 100, cell: ({ type }) => keys.types[type] ?? type },
    { id: 'owner', header: titles.owner, width: 110, cell: owner },
    {
      id: 'budget',
      header: titles.budget,
      width: 200,
      grow: 1,
      cell: ({ usage_limits }) => <BudgetMeter limit={usage_limits} size="small" />,
    },
    {
      id: 'rates',
      header: titles.rates,
      width: 170,
      grow: 1,
      cell: ({ rate_limits }) => <span className="ell">{ratesWords(rate_limits)}</span>,
    },
    { id: 'used', header: titles.used, width: 140, cell: lastUse },
    {
      id: 'expires',
      header: titles.expires,
      width: 120,
      sort: 'expires_at',
      cell: ({ expires_at }) =>
        expires_at === null ? <span className="muted">{keys.never}</span> : <Moment at={expires_at} />,
    },
    {
      id: 'rotation',
      header: titles.rotation,
      width: 120,
      cell: ({ rotation_policy }) => <Rotates policy={rotation_policy} />,
    },
    { id: 'status', header: titles.status, width: 120, cell: ({ status }) => <KeyStatus status={status} /> },
    {
      id: 'requests',
      header: titles.requests,
      width: 120,
      align: 'right',
      optional: true,
      cell: ({ id }) => {
        const own = use?.get(id);
        return count(own === null ? 0 : own?.requests);
      },
    },
    {
      id: 'created',
      header: titles.created,
      width: 120,
      sort: 'created_at',
      optional: true,
      cell: ({ created_at }) => <Moment at={created_at} />,
    },
  ];
}
