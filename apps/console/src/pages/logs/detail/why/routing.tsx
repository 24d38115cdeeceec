import type { ReactElement } from 'react';
import { logDetail } from '../../../../messages/en/log-detail';
import { waterfallText } from '../../../../messages/en/waterfall';
import { shortTarget } from '../../../../ui/waterfall';
import type { Decision } from '../record';

/** Lists the events other than the config that influenced routing. */
export function Routing({ decision: { routing } }: { readonly decision: Decision }): ReactElement | null {
  if (routing.length === 0) return null;
  return (
    <section aria-labelledby="log-routing">
      <h3 id="log-routing">{logDetail.why.routing}</h3>
      <ol className="log-events xs">
        {routing.map(({ target, event }, at) => (
          <li key={at}>
            <code>{shortTarget(target)}</code> {waterfallText.eventLong(event)}
          </li>
        ))}
      </ol>
    </section>
  );
}
