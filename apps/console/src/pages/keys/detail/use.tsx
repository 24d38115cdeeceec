import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan, useWorkspace } from '../../../app';
import { keys } from '../../../messages';
import { Id, KeyValues, Moment } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import { ratesWords } from '../../fields/limit-words';
import { Models, Users } from '../../list/use-tables';
import type { ApiKey } from '../key-types';
import { Headroom } from './headroom';
import { RefusalsPane } from './refusals';

/** Tab with the use of a key: remaining limits, models, users and refusals, and its properties. */
export function KeyUsePane({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const can = useCan('analyticsGroups_by');
  const workspace = useWorkspace();
  const filter = { api_key_ids: [apiKey.id], workspace_id: apiKey.workspace_id ?? workspace.id };
  return (
    <div className="fields-columns">
      <div className="fields-stack">
        <Headroom apiKey={apiKey} />
        {can && <Models filter={filter} />}
        {can && <Users filter={filter} />}
        <RefusalsPane apiKey={apiKey} />
      </div>
      <Facts apiKey={apiKey} />
    </div>
  );
}

function Facts({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const { id, key, type, rate_limits, expires_at, created_at, last_updated_at, rotation_policy, user_id } =
    apiKey;
  const workspace = useWorkspace();
  const next = rotation_policy?.next_rotation_at ?? null;
  const logs = `/w/${workspace.slug}/logs?f=key:${encodeURIComponent(id)}`;
  return (
    <Pane
      title={keys.facts}
      footer={
        <span className="row">
          <Link to={logs as '/'}>{keys.logs}</Link>
        </span>
      }
    >
      <KeyValues
        items={[
          [keys.id, <Id key="id" id={id} />],
          [keys.secret, <code key="key">{key}</code>],
          [keys.columns.type, keys.summaryType(type, workspace.name)],
          ...(user_id === null ? [] : [[keys.columns.owner, <Id key="owner" id={user_id} />] as const]),
          [keys.rates, ratesWords(rate_limits)],
          [keys.expires, expires_at === null ? keys.never : <Moment key="expires" at={expires_at} />],
          [keys.columns.rotation, next === null ? keys.byHand : <Moment key="rotates" at={next} />],
          [keys.created, <Moment key="created" at={created_at} />],
          [keys.changed, <Moment key="changed" at={last_updated_at} />],
        ]}
      />
    </Pane>
  );
}
