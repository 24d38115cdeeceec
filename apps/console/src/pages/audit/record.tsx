import { Drawer } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useSelf } from '../../app';
import { audit } from '../../messages';
import { JsonView } from '../../ui/json';
import { Id, KeyValues, Moment, StatusBadge, TextButton } from '../../ui/primitives';
import { nameOf } from '../../write/paths';
import { changesOf, recordWords, valueWords } from './record-words';
import type { AuditRecord } from './use-records';
import './audit.css';

interface RecordDrawerProps {
  /** Null: closed. */
  readonly record: AuditRecord | null;
  readonly actor: string;
  readonly onClose: () => void;
  /** Shows all records of the request. */
  readonly onRequest: (requestId: string) => void;
}

/** One record: what changed by field, who, from where, and its place in the chain. */
export function RecordDrawer({ record, actor, onClose, onRequest }: RecordDrawerProps): ReactElement {
  return (
    <Drawer
      opened={record !== null}
      onClose={onClose}
      position="right"
      size={560}
      title={record === null ? '' : recordWords(record)}
    >
      {record === null ? null : (
        <div className="col audit-record">
          <Changes record={record} />
          <Facts record={record} actor={actor} onRequest={onRequest} />
          <details>
            <summary className="sub">{audit.raw}</summary>
            <JsonView label={audit.raw} value={record} maxHeight={360} />
          </details>
        </div>
      )}
    </Drawer>
  );
}

function Changes({ record }: { readonly record: AuditRecord }): ReactElement {
  const changes = changesOf(record);
  if (changes.length === 0) return <p className="sub">{audit.noChanges}</p>;
  return (
    <table className="audit-changes" aria-label={audit.changes}>
      <thead>
        <tr>
          <th scope="col">{audit.field}</th>
          <th scope="col">{audit.before}</th>
          <th scope="col">{audit.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, before, after }) => (
          <tr key={nameOf(path)}>
            <th scope="row">
              <code>{nameOf(path)}</code>
            </th>
            <td className="audit-before private">{valueWords(before)}</td>
            <td className="audit-after private">{valueWords(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Kinds of things with a page, and their place below the workspace. */
const PAGES: Readonly<Record<string, string>> = { api_keys: 'keys', providers: 'providers' };

function useAddress({ workspace_id, resource_type, resource_id }: AuditRecord): string | null {
  const page = PAGES[resource_type];
  const workspace = useSelf().workspaces.find(({ id }) => id === workspace_id);
  if (page === undefined || workspace === undefined || resource_id === null) return null;
  return `/w/${workspace.slug}/${page}/${encodeURIComponent(resource_id)}`;
}

function Facts({
  record,
  actor,
  onRequest,
}: Pick<RecordDrawerProps, 'actor' | 'onRequest'> & { readonly record: AuditRecord }): ReactElement {
  const { timestamp, method, uri, response_status_code, error_type, request_id, client_ip, user_agent } =
    record;
  const address = useAddress(record);
  return (
    <>
      <KeyValues
        items={[
          [audit.at, <Moment key="at" at={timestamp} />],
          [
            audit.actor,
            <span key="actor" className="private">
              {actor}
            </span>,
          ],
          [audit.action, <code key="call">{`${method} ${uri}`}</code>],
          [
            audit.status,
            <span key="status" className="row">
              <StatusBadge status={response_status_code} />
              {error_type === null ? null : <code>{error_type}</code>}
            </span>,
          ],
          ...(request_id === null ? [] : [[audit.requestId, <Id key="request" id={request_id} />] as const]),
          [audit.ip, client_ip ?? '–'],
          [audit.agent, user_agent ?? '–'],
          [audit.sequence, record.sequence ?? '–'],
          [audit.hash, record.hash === null ? '–' : <Id key="hash" id={record.hash} />],
        ]}
      />
      <span className="row">
        {address === null ? null : <Link to={address as '/'}>{audit.thing}</Link>}
        {request_id === null ? null : (
          <TextButton onClick={() => onRequest(request_id)}>{audit.wholeRequest}</TextButton>
        )}
      </span>
    </>
  );
}
