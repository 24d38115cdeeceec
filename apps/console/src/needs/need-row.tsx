import type { ReactElement } from 'react';
import { GoLink } from '../app';
import { needs as text } from '../messages';
import { Icon, type IconName } from '../ui/icons/icon';
import { Moment } from '../ui/primitives';
import type { Budgeted } from './budgets';
import type { Need } from './needs';
import './needs.css';

const ICONS: Readonly<Record<Need['kind'], IconName>> = {
  failing: 'flame',
  budget: 'wallet',
  expiring: 'key',
  rotating: 'refresh',
  gateway: 'gateways',
};

interface NeedRowProps {
  readonly need: Need;
  /** Slug of the workspace. */
  readonly slug: string;
  /** True for an unread alert, in the bell. */
  readonly isNew?: boolean;
}

/** Row of an alert: what happens, its details and a link to the remedy. */
export function NeedRow({ need, slug, isNew = false }: NeedRowProps): ReactElement {
  const ws = `/w/${encodeURIComponent(slug)}`;
  return (
    <li className="need" data-kind={need.kind}>
      <Icon name={ICONS[need.kind]} />
      <div className="grow">
        <b>{titleOf(need)}</b> {isNew && <span className="need-new">{text.isNew}</span>}
        <p className="xs sub">
          <NeedText need={need} />
        </p>
      </div>
      <GoLink to={ws + addressOf(need)} className="xs nowrap">
        {text.acts[need.kind]}
      </GoLink>
    </li>
  );
}

const isExhausted = ({ limit }: Budgeted): boolean => limit.status === 'exhausted';
const hasReset = ({ limit }: Budgeted): boolean => limit.next_usage_reset_at !== null;

function titleOf(need: Need): string {
  switch (need.kind) {
    case 'failing':
      return text.failing(need.provider);
    case 'budget':
      return text.budget(need.budget.name, isExhausted(need.budget), hasReset(need.budget));
    case 'expiring':
      return text.expiring(need.keys.length);
    case 'rotating':
      return text.rotating(need.keys.length);
    case 'gateway':
      return text.gateway(need.gateway.id, need.gateway.connected);
  }
}

function NeedText({ need }: { readonly need: Need }): ReactElement {
  switch (need.kind) {
    case 'failing':
      return <>{text.failingText(need.errors, need.requests)}</>;
    case 'budget': {
      const { forecast_exhausted_at: end } = need.budget.limit;
      return isExhausted(need.budget) ? (
        <>{text.exhausted(hasReset(need.budget))}</>
      ) : (
        <Moment at={end ?? null} />
      );
    }
    case 'expiring':
    case 'rotating':
      return <>{need.keys.map(({ name }) => name).join(', ')}</>;
    case 'gateway':
      return <>{need.gateway.warnings[0]?.message ?? text.notConnected}</>;
  }
}

/** Address of the remedy below the workspace. */
function addressOf(need: Need): string {
  switch (need.kind) {
    case 'failing':
      return `/logs?${new URLSearchParams([
        ['f', `credential:${need.provider}`],
        ['t', '1h'],
      ]).toString()}`;
    case 'budget':
      return need.budget.kind === 'key'
        ? `/keys/${encodeURIComponent(need.budget.id)}`
        : `/providers/${encodeURIComponent(need.budget.id)}`;
    case 'expiring':
    case 'rotating':
      return '/keys';
    case 'gateway':
      return '/logs';
  }
}
