import type { ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { GoLink, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { Icon, type IconName } from '../../../ui/icons/icon';
import { Badge, Moment } from '../../../ui/primitives';
import { Empty, Failed, Pane, Part, Skeletons } from '../../../ui/states';
import type { Need } from './needs';
import type { Resources } from './use-resources';

const text = home.needs;

/** What needs attention: cause, since when, and what helps. */
export function NeedsPane({ resources }: { readonly resources: Resources }): ReactElement {
  const { needs, isLoading, isPartial, problem } = resources;
  return (
    <Pane title={text.title} padding="flush" actions={<Badge>{needs.length}</Badge>}>
      {problem !== null && <Failed problem={problemFrom(problem)} />}
      {needs.length === 0 &&
        problem === null &&
        (isLoading ? <Skeletons shape="lines" /> : <Empty title={text.none} icon="check" />)}
      <ul className="home-rows" aria-label={text.title}>
        {needs.map((need) => (
          <NeedRow key={keyOf(need)} need={need} />
        ))}
      </ul>
      {isPartial && <Part>{text.part}</Part>}
    </Pane>
  );
}

function keyOf(need: Need): string {
  if (need.kind === 'failing') return `failing ${need.provider}`;
  if (need.kind === 'budget') return `budget ${need.budget.id}`;
  return need.kind === 'gateway' ? `gateway ${need.gateway.id}` : need.kind;
}

const ICONS: Readonly<Record<Need['kind'], IconName>> = {
  failing: 'flame',
  budget: 'wallet',
  expiring: 'key',
  gateway: 'gateways',
};

function NeedRow({ need }: { readonly need: Need }): ReactElement {
  const { slug } = useWorkspace();
  const ws = `/w/${encodeURIComponent(slug)}`;
  return (
    <li className="home-need" data-kind={need.kind}>
      <Icon name={ICONS[need.kind]} />
      <div className="grow">
        <b>{titleOf(need)}</b>
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

function titleOf(need: Need): string {
  switch (need.kind) {
    case 'failing':
      return text.failing(need.provider);
    case 'budget':
      return text.budget(need.budget.name, need.budget.limit.status === 'exhausted');
    case 'expiring':
      return text.expiring(need.keys.length);
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
      return end === null || end === undefined ? <>{text.exhausted}</> : <Moment at={end} />;
    }
    case 'expiring':
      return <>{need.keys.map(({ name }) => name).join(', ')}</>;
    case 'gateway':
      return <>{need.gateway.warnings[0]?.message ?? text.notConnected}</>;
  }
}

/** Below the workspace. */
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
      return '/keys';
    case 'gateway':
      return '/logs';
  }
}
