import type { ReactElement } from 'react';
import { logDetail } from '../../../messages/en/log-detail';
import { JsonView } from '../../../ui/json';
import { CopyButton } from '../../../ui/primitives';
import type { LogDetail } from './record';

/** Tab with the log record of the API as JSON. Bodies have their own tabs. */
export function RawTab({ log }: { readonly log: LogDetail }): ReactElement {
  return (
    <div className="col">
      <p className="row">
        <span className="xs muted grow">{logDetail.raw.bodies}</span>
        <CopyButton text={() => JSON.stringify(log, null, 2)} label={logDetail.raw.copy} size="control" />
      </p>
      <div className="private">
        <JsonView value={log} label={logDetail.tabs.raw} maxHeight={680} />
      </div>
    </div>
  );
}
