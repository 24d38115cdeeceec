import { audit } from '../../messages';
import type { Column } from '../../ui/grid';
import { Moment, StatusBadge } from '../../ui/primitives';
import { recordWords } from './record-words';
import type { AuditRecord } from './use-records';

interface Names {
  readonly actorOf: (record: AuditRecord) => string;
  /** Name of a workspace by id. */
  readonly workspaceOf: (id: string | null) => string;
}

export function columnsOf({ actorOf, workspaceOf }: Names): readonly Column<AuditRecord>[] {
  const { columns: titles } = audit;
  return [
    { id: 'at', header: titles.at, width: 110, cell: ({ timestamp }) => <Moment at={timestamp} as="list" /> },
    {
      id: 'actor',
      header: titles.actor,
      width: 170,
      cell: (record) => <span className="ell private">{actorOf(record)}</span>,
    },
    {
      id: 'what',
      header: titles.what,
      width: 320,
      grow: 3,
      cell: (record) => <span className="ell">{recordWords(record)}</span>,
    },
    {
      id: 'where',
      header: titles.where,
      width: 150,
      cell: ({ workspace_id }) => <span className="ell">{workspaceOf(workspace_id)}</span>,
    },
    {
      id: 'status',
      header: titles.status,
      width: 90,
      cell: ({ response_status_code: status }) => <StatusBadge status={status} />,
    },
    { id: 'ip', header: titles.ip, width: 130, optional: true, cell: ({ client_ip }) => client_ip ?? '–' },
  ];
}
