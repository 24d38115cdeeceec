import type { ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { useTail } from '../../live';
import { connect as text } from '../../messages';
import { Dot, Note } from '../../ui/primitives';
import { Failed } from '../../ui/states';
import { LogLink } from '../home/log-link';

/** Waits for the first request of a key (null: of the workspace) and shows it. */
export function FirstRequestLine({ keyId }: { readonly keyId: string | null }): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const { rows, problem, status } = useTail(
    { workspace_id, ...(keyId === null ? {} : { api_key_id: [keyId] }) },
    true,
  );
  const row = rows.at(-1);
  if (row !== undefined)
    return (
      <Note tone={row.is_success ? 'ok' : 'warn'} action={<LogLink id={row.id}>{text.open}</LogLink>}>
        {text.arrived(row.model ?? row.route, row.response_status_code)}
      </Note>
    );
  if (status === 'refused' && problem !== null) return <Failed problem={problem} />;
  return (
    <p className="row connect-waiting" role="status">
      <Dot live /> {keyId === null ? text.waiting : text.waitingForKey}
    </p>
  );
}
