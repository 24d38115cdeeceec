import type { ReactElement } from 'react';
import { GoLink, useWorkspace } from '../../../app';
import type { Run } from '../../../gateway';
import type { LogRow } from '../../../live';
import { playground as text } from '../../../messages';
import { Badge } from '../../../ui/primitives';

interface ColumnLogProps {
  readonly run: Run;
  readonly log: LogRow | null | undefined;
}

/** Badges for retries, fallback targets and the cache, with a link to the log. */
export function ColumnLog({ run, log }: ColumnLogProps): ReactElement {
  const { slug } = useWorkspace();
  const calls = run.decision?.attempts?.length ?? 0;
  return (
    <>
      {run.retries > 0 && <Badge tone="info">{text.retries(run.retries)}</Badge>}
      {calls > 1 && <Badge tone="info">{text.calls(calls)}</Badge>}
      {log?.cache_status === 'HIT' && <Badge tone="info">{text.cached}</Badge>}
      {run.requestId !== null && (
        <GoLink
          to={`/w/${encodeURIComponent(slug)}/logs?log=${encodeURIComponent(run.requestId)}`}
          className="xs"
        >
          {text.why}
        </GoLink>
      )}
    </>
  );
}
