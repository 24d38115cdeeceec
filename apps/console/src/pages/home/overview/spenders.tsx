import { memo, type CSSProperties, type ReactElement } from 'react';
import { cents, centsToE8, problemFrom } from '../../../api';
import { GoLink, useCan, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { logsAddress } from '../log-link';
import { shortId } from '../../../ui/format';
import { Money } from '../../../ui/primitives';
import { Empty, Loaded, Pane } from '../../../ui/states';
import { useSteady, type Windows } from '../../../live/use-window';

const text = home.spenders;
const SHOWN = 5;

export type SpenderKind = 'api_key' | 'provider';

const KINDS: readonly (readonly [SpenderKind, string])[] = [
  ['api_key', text.key],
  ['provider', text.provider],
];

interface SpendersProps {
  readonly range: Windows;
  readonly by: SpenderKind;
  readonly onBy: (by: SpenderKind) => void;
}

/** Pane of the keys or providers with the highest cost. */
function SpendersOf({ range, by, onBy }: SpendersProps): ReactElement {
  const { id: workspace_id, slug } = useWorkspace();
  const query = useSteady('analyticsGroups_by', {
    path: { groupBy: by },
    query: {
      workspace_id,
      ...range.now,
      columns: ['requests', 'cost'],
      order_by: 'cost',
      order_by_type: 'desc',
      page_size: SHOWN,
    },
  });
  const groups = query.data?.data ?? [];
  const ids = groups.flatMap(({ group_key: key }) => key ?? []);
  const isNamed = useCan('apiKeys_list') && by === 'api_key' && ids.length > 0;
  const names = useSteady('apiKeys_list', { query: { workspace_id, ids } }, isNamed);
  const nameOf = (key: string | null): string => {
    if (key === null) return text.none;
    if (by === 'provider') return `@${key}`;
    // Without the list of keys, a missing name says nothing about the key.
    if (names.data === undefined || names.isPlaceholderData) return shortId(key);
    return names.data.data.find(({ id }) => id === key)?.name ?? text.unlisted(shortId(key));
  };
  const most = Math.max(...groups.map(({ cost = 0 }) => cost), 0);
  return (
    <Pane
      title={text.title}
      className="home-wide"
      actions={
        <span className="range-picker range-picker-segments" role="group" aria-label={text.by}>
          {KINDS.map(([kind, label]) => (
            <button
              key={kind}
              type="button"
              className="range-segment"
              aria-pressed={kind === by}
              onClick={() => onBy(kind)}
            >
              {label}
            </button>
          ))}
        </span>
      }
    >
      <Loaded
        query={query}
        problemOf={problemFrom}
        isEmpty={({ data }) => data.length === 0}
        empty={<Empty title={text.empty} />}
      >
        {({ data }) => (
          <ul className="home-spenders">
            {data.map(({ group_key: key, cost = 0 }) => (
              <li key={key ?? ''}>
                {key === null ? (
                  <span className="ell">{nameOf(key)}</span>
                ) : (
                  <GoLink
                    to={logsAddress(slug, by === 'provider' ? 'credential' : 'key', key)}
                    className="ell"
                  >
                    {nameOf(key)}
                  </GoLink>
                )}
                <span
                  className="home-bar"
                  style={{ '--share': `${most === 0 ? 0 : (cost / most) * 100}%` } as CSSProperties}
                />
                <Money e8={centsToE8(cents(cost))} as="human" />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Pane>
  );
}

export const Spenders = memo(SpendersOf);
