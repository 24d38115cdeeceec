import type { ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { logDetail } from '../../../messages/en/log-detail';
import { BodyView } from '../../../ui/body';
import { Loaded } from '../../../ui/states';
import type { LogDetail } from './record';
import { useBody, type Side } from './use-body';

/** Tab with a logged body. Logs do not contain headers. */
export function BodyTab({ log, side }: { readonly log: LogDetail; readonly side: Side }): ReactElement {
  const body = useBody(log, side);
  return (
    <div className="col">
      <Loaded query={body} problemOf={problemFrom}>
        {(data) => (
          <div className="private">
            <BodyView label={logDetail.tabs[side]} body={data} maxHeight={620} />
          </div>
        )}
      </Loaded>
      <p className="xs muted">{logDetail.messages.noHeaders}</p>
    </div>
  );
}
