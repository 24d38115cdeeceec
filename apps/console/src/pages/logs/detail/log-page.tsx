import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, type ReactElement } from 'react';
import { useWorkspace } from '../../../app';
import { logDetail } from '../../../messages/en/log-detail';
import { Page } from '../../../ui/states';
import { decodeLogs, logsSearchOf } from '../search';
import { FilterByContext } from './filter-by';
import { LogView } from './log-view';
import '../logs.css';

const route = getRouteApi('/session/w/$ws/logs/$log');

/** Page of one log: `/w/:ws/logs/:id`. */
export function LogPage(): ReactElement {
  const { slug: ws } = useWorkspace();
  const { log: id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { tab } = useMemo(() => decodeLogs(search).state, [search]);
  const toList = (change: Parameters<typeof logsSearchOf>[0]): void =>
    void navigate({ to: '/w/$ws/logs', params: { ws }, search: logsSearchOf(change) });
  const toLog = (log: string, change: Parameters<typeof logsSearchOf>[0], replace: boolean): void =>
    void navigate({ to: '/w/$ws/logs/$log', params: { ws, log }, search: logsSearchOf(change), replace });
  return (
    <FilterByContext value={(filter) => toList({ filters: [filter] })}>
      <Page title={logDetail.view.page}>
        <div className="logs-own">
          <LogView
            key={id}
            id={id}
            tab={tab}
            onTab={(next) => toLog(id, { tab: next }, true)}
            onOpen={(log) => toLog(log, {}, false)}
            onClose={() => toList({})}
          />
        </div>
      </Page>
    </FilterByContext>
  );
}
