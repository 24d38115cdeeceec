import { ActionIcon } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useWorkspace } from '../../../app';
import { logDetail } from '../../../messages/en/log-detail';
import { bothZones } from '../../../ui/format';
import { Icon } from '../../../ui/icons/icon';
import { Id, ProviderMark, StatusBadge, useFormat } from '../../../ui/primitives';
import { useKeys } from '../filters/use-log-fields';
import { cutWord } from '../list/happened';
import { FilterBy } from './filter-by';
import type { LogDetail } from './record';

const text = logDetail.view;

interface Props {
  readonly log: LogDetail;
  readonly onStep?: ((by: 1 | -1) => void) | undefined;
  readonly onClose: () => void;
}

/**
 * Header of a log: status, method, path, id, model, key and user, and its time in the viewer's zone
 * and in UTC.
 */
export function LogHeader({ log, onStep, onClose }: Props): ReactElement {
  const { zone } = useFormat();
  const { slug: ws } = useWorkspace();
  return (
    <header className="log-header col">
      <div className="row">
        <StatusBadge status={log.response_status_code} word={cutWord(log)} />
        <h2 className="ell grow" title={log.request_url}>
          {log.request_method} {log.request_url}
        </h2>
        {onStep !== undefined && (
          <>
            <Steps onStep={onStep} />
            <Link
              to="/w/$ws/logs/$log"
              params={{ ws, log: log.id }}
              className="log-own-link"
              aria-label={text.own}
              title={text.ownKey}
            >
              <Icon name="arrowUpRight" />
            </Link>
          </>
        )}
        <Close onClose={onClose} />
      </div>
      <div className="row xs log-facts">
        <Id id={log.id} />
        <Who log={log} />
      </div>
      <p className="xs muted num">{bothZones(Date.parse(log.created_at), zone).join(' · ')}</p>
    </header>
  );
}

type UnreadProps = Pick<Props, 'onStep' | 'onClose'> & { readonly id: string };

/** Header of a log that is being read or cannot be read. */
export function UnreadHeader({ id, onStep, onClose }: UnreadProps): ReactElement {
  return (
    <header className="log-header row">
      <span className="grow xs">
        <Id id={id} />
      </span>
      {onStep !== undefined && <Steps onStep={onStep} />}
      <Close onClose={onClose} />
    </header>
  );
}

function Steps({ onStep }: { readonly onStep: (by: 1 | -1) => void }): ReactElement {
  return (
    <>
      <ActionIcon aria-label={text.previous} title={text.previousKey} onClick={() => onStep(-1)}>
        <Icon name="chevronUp" />
      </ActionIcon>
      <ActionIcon aria-label={text.next} title={text.nextKey} onClick={() => onStep(1)}>
        <Icon name="chevronDown" />
      </ActionIcon>
    </>
  );
}

const Close = ({ onClose }: Pick<Props, 'onClose'>): ReactElement => (
  <ActionIcon aria-label={text.close} title={text.closeKey} onClick={onClose}>
    <Icon name="close" />
  </ActionIcon>
);

function Who({ log }: { readonly log: LogDetail }): ReactElement {
  const { nameOf } = useKeys();
  const { model, provider, api_key_id: key, user_id: user } = log;
  return (
    <>
      {model !== null && (
        <FilterBy field="model" value={model}>
          <ProviderMark provider={provider}>{model}</ProviderMark>
        </FilterBy>
      )}
      {key !== null && (
        <FilterBy field="key" value={key}>
          {text.key} {nameOf(key) ?? <Id id={key} />}
        </FilterBy>
      )}
      {user !== null && (
        <FilterBy field="user" value={user}>
          {text.user} <Id id={user} />
        </FilterBy>
      )}
      {Object.entries(log.metadata).map(([name, value]) => (
        <FilterBy key={name} field={`md.${name}`} value={value}>
          <code className="private">
            {name}={value}
          </code>
        </FilterBy>
      ))}
    </>
  );
}
