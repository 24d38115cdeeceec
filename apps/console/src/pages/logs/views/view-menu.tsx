import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type ReactElement } from 'react';
import { read } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { logs } from '../../../messages/en/logs';
import { Icon } from '../../../ui/icons/icon';
import type { PageState, ResolvedRange } from '../../../url';
import type { Change } from '../use-logs-state';
import { LOG_VIEW_NAMES, LOG_VIEWS, slowFilter, viewOf, type LogView } from './views';

/** Duration in milliseconds that counts as slow when the latency is unknown. */
const SLOW_MS = 1000;
const FRESH_MS = 30_000;

interface Props {
  readonly state: PageState;
  readonly range: ResolvedRange;
  readonly change: Change;
}

/** Menu of the built-in views; choosing one replaces the filters. */
export function ViewMenu({ state, range, change }: Props): ReactElement {
  const current = viewOf(state);
  const slow = useSlow(range);
  const names = LOG_VIEW_NAMES.filter((name) => name !== 'slow' || slow !== null);
  // The latency can arrive after another view was chosen, or after the user has left the page.
  const latest = useRef(0);
  useEffect(
    () => () => {
      latest.current += 1;
    },
    [],
  );
  const open = async (name: LogView): Promise<void> => {
    const own = (latest.current += 1);
    const filters = LOG_VIEWS[name] ?? [slowFilter((await slow?.()) ?? SLOW_MS)];
    if (own === latest.current) change({ filters, text: '' });
  };
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" rightSection={<Icon name="chevronDown" size={12} />}>
          {logs.views.button(current === null ? null : logs.views.names[current])}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {names.map((name) => (
          <Menu.Item key={name} title={logs.views.about[name]} onClick={() => void open(name)}>
            {logs.views.names[name]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/**
 * Returns a function that reads the 90th percentile of latency in milliseconds; null when the
 * caller may not read it.
 */
function useSlow(range: ResolvedRange): (() => Promise<number | null>) | null {
  const { id } = useWorkspace();
  const mayRead = useCan('analyticsGraphs_latency');
  const queries = useQueryClient();
  if (!mayRead) return null;
  const time = {
    time_of_generation_min: new Date(range.from).toISOString(),
    time_of_generation_max: new Date(range.to).toISOString(),
  };
  return () =>
    queries
      .fetchQuery({
        ...read('analyticsGraphs_latency', { query: { workspace_id: id, ...time } }),
        staleTime: FRESH_MS,
      })
      .then(({ summary }) => summary.p90)
      // The view also works with the default duration.
      .catch(() => null);
}
