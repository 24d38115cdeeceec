import { Tabs } from '@mantine/core';
import { lazy, Suspense, useDeferredValue, useMemo, type ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { logDetail } from '../../../messages/en/log-detail';
import { useCopy } from '../../../ui/primitives';
import { ErrorBoundary, Loaded, Skeletons } from '../../../ui/states';
import { usePageKeys } from '../../../ui/use-page-keys';
import { LOG_TABS, type LogTab } from '../search';
import { LogActions, useAddress, useReplay } from './log-actions';
import { LogHeader, UnreadHeader } from './log-header';
import { decisionOf, type LogDetail } from './record';
import { useLog } from './use-log';

// Lazy: each tab is loaded when it opens.
const WhyTab = lazy(async () => ({ default: (await import('./why/why-tab')).WhyTab }));
const MessagesTab = lazy(async () => ({ default: (await import('./messages-tab')).MessagesTab }));
const BodyTab = lazy(async () => ({ default: (await import('./body-tab')).BodyTab }));
const MoneyTab = lazy(async () => ({ default: (await import('./money-tab')).MoneyTab }));
const TraceTab = lazy(async () => ({ default: (await import('./trace-tab')).TraceTab }));
const FeedbackTab = lazy(async () => ({ default: (await import('./feedback-tab')).FeedbackTab }));
const RawTab = lazy(async () => ({ default: (await import('./raw-tab')).RawTab }));

export interface LogViewProps {
  readonly id: string;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  /** Opens another log of the same trace. */
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
  /** Opens the next (1) or previous (-1) log of the list; absent on the page of a single log. */
  readonly onStep?: (by: 1 | -1) => void;
}

/** View of a log with header, tabs and actions. */
export function LogView(props: LogViewProps): ReactElement {
  const log = useLog(props.id);
  return (
    <>
      {log.data === undefined && <UnreadHeader {...props} />}
      <Loaded query={log} problemOf={problemFrom} skeleton={<Skeletons shape="lines" count={8} />}>
        {(data) => <Shown {...props} log={data} />}
      </Loaded>
    </>
  );
}

type ShownProps = LogViewProps & { readonly log: LogDetail };

function Shown({ log, tab, onTab, onOpen, onStep, onClose }: ShownProps): ReactElement {
  const { copy } = useCopy();
  // The tab is selected immediately; its content renders with lower priority.
  const shownTab = useDeferredValue(tab);
  const replay = useReplay(log.id);
  const address = useAddress(log.id);
  const numbers = Object.fromEntries(LOG_TABS.map((name, at) => [String(at + 1), () => onTab(name)]));
  usePageKeys({
    ...numbers,
    y: () => void copy(log.id),
    'shift+y': () => void copy(address),
    p: replay,
  });
  return (
    <div className="log-view">
      <LogHeader log={log} onStep={onStep} onClose={onClose} />
      <Tabs value={tab} onChange={(next) => next !== null && onTab(next)} className="log-tabs">
        <Tabs.List aria-label={logDetail.view.tabs}>
          {LOG_TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {logDetail.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} className="log-tab" tabIndex={0}>
          <ErrorBoundary resetKey={`${log.id} ${shownTab}`}>
            <Suspense fallback={<Skeletons shape="lines" />}>
              <TabOf tab={shownTab as LogTab} log={log} onTab={onTab} onOpen={onOpen} />
            </Suspense>
          </ErrorBoundary>
        </Tabs.Panel>
      </Tabs>
      <LogActions log={log} />
    </div>
  );
}

interface TabProps extends Pick<LogViewProps, 'onTab' | 'onOpen'> {
  readonly tab: LogTab;
  readonly log: LogDetail;
}

function TabOf({ tab, log, onTab, onOpen }: TabProps): ReactElement {
  const decision = useMemo(() => decisionOf(log), [log]);
  switch (tab) {
    case 'why':
      return <WhyTab log={log} decision={decision} onTab={onTab} />;
    case 'messages':
      return <MessagesTab log={log} />;
    case 'request':
      return <BodyTab log={log} side="request" />;
    case 'response':
      return <BodyTab log={log} side="response" />;
    case 'money':
      return <MoneyTab log={log} decision={decision} />;
    case 'trace':
      return <TraceTab log={log} onOpen={onOpen} />;
    case 'feedback':
      return <FeedbackTab log={log} />;
    case 'raw':
      return <RawTab log={log} />;
  }
}
