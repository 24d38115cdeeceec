import { Button } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import { problemFrom } from '../../api';
import { useRefusal, useSelf, WhyNot } from '../../app';
import { audit } from '../../messages';
import { dayRule } from '../../ui/format';
import { FilterBar, singleFilters, type FilterField } from '../../ui/filters';
import { ColumnMenu, DataGrid, useColumns } from '../../ui/grid';
import { useFormat } from '../../ui/primitives';
import { RangePicker } from '../../ui/range';
import { Empty, Loaded, NotAllowed, Page, Skeletons } from '../../ui/states';
import { usePageSearch } from '../list/use-page-search';
import { Chain } from './chain';
import { columnsOf } from './columns';
import { CsvButton } from './csv-button';
import { RecordDrawer } from './record';
import { AUDIT_RULES, PARAMETERS, type AuditField } from './rules';
import { useActorNames } from './use-actor-names';
import { useRecords, type AuditRecord } from './use-records';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];
const ACTIONS = ['create', 'update', 'delete', 'rotate', 'login'];
const LABELS: Readonly<Record<AuditField, string>> = {
  ...audit.fields,
  actor_type: audit.fields.actorType,
};
const rowId = ({ id }: AuditRecord): string => id;

function useFields(): readonly FilterField[] {
  const { workspaces } = useSelf();
  return useMemo(() => {
    const options: Partial<
      Record<AuditField, readonly { readonly value: string; readonly label?: string }[]>
    > = {
      action: ACTIONS.map((value) => ({ value })),
      method: METHODS.map((value) => ({ value })),
      actor_type: Object.entries(audit.actorTypes).map(([value, label]) => ({ value, label })),
      workspace: workspaces.map(({ id, name }) => ({ value: id, label: name })),
    };
    return (Object.keys(PARAMETERS) as AuditField[]).map((id) => ({
      id,
      label: LABELS[id],
      group: audit.fields.group,
      kind: 'values',
      ...(options[id] === undefined ? {} : { options: options[id] }),
    }));
  }, [workspaces]);
}

/**
 * Page of the audit log: changes in the organisation with their authors, and a check of the audit
 * chain.
 */
export function AuditPage(): ReactElement {
  const refusal = useRefusal('auditLogs_list');
  if (refusal === null) return <Records />;
  return (
    <Page title={audit.title}>
      <NotAllowed missing={refusal.scopes.join(', ')}>
        <WhyNot refusal={refusal} />
      </NotAllowed>
    </Page>
  );
}

function Records(): ReactElement {
  const { zone } = useFormat();
  const { workspaces } = useSelf();
  const { state, change } = usePageSearch(AUDIT_RULES);
  const fields = useFields();
  const { query, total, more } = useRecords(state);
  const actorOf = useActorNames(query.data);
  const columns = useMemo(() => {
    const names = new Map(workspaces.map(({ id, name }) => [id, name]));
    return columnsOf({
      actorOf,
      workspaceOf: (id) => (id === null ? audit.organisation : (names.get(id) ?? id)),
    });
  }, [actorOf, workspaces]);
  const choice = useColumns('audit', columns, state.cols);
  const record = query.data?.find(({ id }) => id === state.log) ?? null;
  return (
    <Page
      title={audit.title}
      layout="full"
      updating={query.isFetching && query.data !== undefined}
      badge={total === undefined ? null : <span className="muted">{audit.total(total)}</span>}
      actions={
        <>
          <Chain />
          <CsvButton state={state} actorOf={actorOf} />
          <ColumnMenu columns={columns} choice={choice} />
        </>
      }
    >
      <FilterBar
        fields={fields}
        filters={singleFilters(state.filters)}
        onChange={(filters) => change({ filters: singleFilters(filters) })}
      >
        <RangePicker range={state.range} onChange={(range) => change({ range })} />
      </FilterBar>
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="table" />}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <Empty
            title={audit.empty}
            icon="history"
            action={
              state.filters.length === 0 ? undefined : (
                <Button onClick={() => change({ filters: [] })}>{audit.clear}</Button>
              )
            }
          >
            {audit.emptyHint}
          </Empty>
        }
      >
        {(rows) => (
          <DataGrid
            label={audit.list}
            rows={rows}
            rowId={rowId}
            columns={columns}
            choice={choice}
            openId={state.log === '' ? null : state.log}
            onOpen={({ id }) => change({ log: id }, 'push')}
            total={total}
            onEnd={more}
            dayOf={({ timestamp }) => dayRule(Date.parse(timestamp), zone)}
            toneOf={({ response_status_code: status }) => (status >= 400 ? 'warn' : undefined)}
          />
        )}
      </Loaded>
      <RecordDrawer
        record={record}
        actor={record === null ? '' : actorOf(record)}
        onClose={() => change({ log: '' })}
        onField={(field, value) =>
          change({ log: '', filters: [{ field, not: false, match: { kind: 'any', values: [value] } }] })
        }
      />
    </Page>
  );
}
