import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { call, problemFrom, type ResponseOf } from '../../api';
import { useRefusal, WhyNot } from '../../app';
import { audit } from '../../messages';
import { Badge, Moment } from '../../ui/primitives';
import { Empty, Loaded, NotAllowed, Pane, Skeletons } from '../../ui/states';
import { usePages } from '../list/use-pages';
import { Changes } from './changes';
import { changesOf, recordWords } from './record-words';
import { useActorNames } from './use-actor-names';
import type { AuditRecord } from './use-records';
import './audit.css';

interface ResourceHistoryProps {
  /** Resource type as in audit records, such as `api_keys`. */
  readonly type: string;
  readonly id: string;
  /** Name of the resource, for a page with several histories. */
  readonly name?: string;
}

/** Changes of one resource with their authors and origins, newest first. */
export function ResourceHistory(props: ResourceHistoryProps): ReactElement {
  const refusal = useRefusal('auditLogs_list');
  if (refusal === null) return <Records {...props} />;
  return (
    <NotAllowed missing={refusal.scopes.join(', ')}>
      <WhyNot refusal={refusal} />
    </NotAllowed>
  );
}

type RecordPage = ResponseOf<'auditLogs_list'>;
const rowsOf = ({ records }: RecordPage): readonly AuditRecord[] => records;
const totalOf = ({ total }: RecordPage): number => total;

function Records({ type, id, name }: ResourceHistoryProps): ReactElement {
  const filters = { resource_type: type, resource_id: id };
  const { query, more } = usePages<RecordPage, AuditRecord>({
    queryKey: ['auditLogs_list', filters],
    read: async (page, signal, first) => {
      // Later pages end at the newest record of the first one, so that new records do not move rows
      // to them. The clock of this machine may be behind, so the first page has no end.
      const newest = first?.records[0];
      const end = newest === undefined ? {} : { end_time: newest.timestamp };
      return (await call('auditLogs_list', { query: { ...filters, ...end, ...page } }, { signal })).data;
    },
    rowsOf,
    totalOf,
  });
  const actorOf = useActorNames(query.data);
  return (
    <Pane
      title={name === undefined ? audit.history : audit.historyOf(name)}
      actions={
        <Link to={`/org/audit?f=thing:${encodeURIComponent(id)}` as '/'} className="xs">
          {audit.inAudit}
        </Link>
      }
    >
      <p className="sub xs">{audit.historyLead}</p>
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="lines" />}
        isEmpty={(rows) => rows.length === 0}
        empty={<Empty title={audit.historyNone} icon="history" />}
      >
        {(rows) => (
          <ol className="audit-history">
            {rows.map((record) => (
              <Entry key={record.id} record={record} actor={actorOf(record)} />
            ))}
          </ol>
        )}
      </Loaded>
      {more !== undefined && <Button onClick={more}>{audit.historyMore}</Button>}
    </Pane>
  );
}

interface EntryProps {
  readonly record: AuditRecord;
  readonly actor: string;
}

function Entry({ record, actor }: EntryProps): ReactElement {
  const { timestamp, client_ip, user_agent, response_status_code: status, error_type } = record;
  return (
    <li>
      <div className="row audit-history-what">
        <b>{recordWords(record)}</b>
        {status < 400 ? null : (
          <Badge tone="warn" mono>
            {error_type ?? status}
          </Badge>
        )}
      </div>
      <p className="sub xs">
        <Moment at={timestamp} />, <span className="private">{actor}</span>
        {client_ip === null ? '' : <span className="private">{audit.fromAddress(client_ip)}</span>}
        {user_agent === null ? '' : `, ${user_agent}`}
      </p>
      {changesOf(record).length > 0 && (
        <details>
          <summary className="sub xs">{audit.changes}</summary>
          <Changes record={record} />
        </details>
      )}
    </li>
  );
}
