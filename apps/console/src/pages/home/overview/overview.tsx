import type { ReactElement } from 'react';
import type { LogRow, TailState } from '../../../live';
import { home } from '../../../messages';
import { Page } from '../../../ui/states';
import { LiveList } from '../live-list';

/** Is it well, what needs somebody, what does it cost. */
export function Overview({ tail }: { readonly tail: TailState<LogRow> }): ReactElement {
  return (
    <Page title={home.title}>
      <LiveList tail={tail} />
    </Page>
  );
}
