import { Drawer } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useSelf } from '../../app';
import { audit } from '../../messages';
import { JsonView } from '../../ui/json';
import { Id, KeyValues, Moment, StatusBadge, TextButton } from '../../ui/primitives';
import { Changes } from './changes';
import { recordWords } from './record-words';
import type { AuditRecord } from './use-records';
import './audit.css';

interface RecordDrawerProps {
  /** The shown record; null when the drawer is closed. */
  readonly record: AuditRecord | null;
  readonly actor: string;
  readonly onClose: () => void;
  /** Filters the list by this value. */
  readonly onField: (field: 'request' | 'thing', value: string) => void;
}

/**
 * Drawer of one record: its changes by field, its author, their origin, and its place in the chain.
 */
export function RecordDrawer({ record, actor, onClose, onField }: RecordDrawerProps): ReactElement {
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
          <Facts record={record} actor={actor} onField={onField} />
          <details>
            <summary className="sub">{audit.raw}</summary>
            <JsonView label={audit.raw} value={record} maxHeight={360} />
          </details>
        </div>
      )}
    </Drawer>
  );
}

/** Path below the workspace of the page of a resource type. */
const PAGES: Readonly<Record<string, string>> = {
  api_keys: 'keys',
  providers: 'providers',
  virtual_keys: 'providers',
};

function useAddress({ workspace_id, resource_type, resource_id }: AuditRecord): string | null {
  const page = PAGES[resource_type];
  const workspace = useSelf().workspaces.find(({ id }) => id === workspace_id);
  if (page === undefined || workspace === undefined || resource_id === null) return null;
  return `/w/${workspace.slug}/${page}/${encodeURIComponent(resource_id)}`;
}

function Facts({
  record,
  actor,
  onField,
}: Pick<RecordDrawerProps, 'actor' | 'onField'> & { readonly record: AuditRecord }): ReactElement {
  const { timestamp, method, uri, response_status_code, error_type, request_id, client_ip, user_agent } =
    record;
  const { resource_id } = record;
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
          <TextButton onClick={() => onField('request', request_id)}>{audit.wholeRequest}</TextButton>
        )}
        {resource_id === null ? null : (
          <TextButton onClick={() => onField('thing', resource_id)}>{audit.wholeThing}</TextButton>
        )}
      </span>
    </>
  );
}
