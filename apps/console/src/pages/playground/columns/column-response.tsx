import { lazy, Suspense, type ReactElement } from 'react';
import { isRunning, isTextApi, type Run } from '../../../gateway';
import { playground as text } from '../../../messages';
import { Empty, Failed } from '../../../ui/states';

const Markdown = lazy(async () => ({ default: (await import('../../../ui/body')).Markdown }));
const ReceivedBody = lazy(async () => ({ default: (await import('./received-body')).ReceivedBody }));

interface ColumnResponseProps {
  readonly run: Run | undefined;
  /** Name of the column's target; empty when none is chosen. */
  readonly words: string;
  readonly onSend: () => void;
}

/** Response of a column: its text as it arrives, or the body for an API without text. */
export function ColumnResponse({ run, words, onSend }: ColumnResponseProps): ReactElement {
  if (run === undefined)
    return <Empty title={words === '' ? text.noTarget : text.noAnswer}>{text.noAnswerText}</Empty>;
  return (
    <>
      {isTextApi(run.api) ? <Text run={run} /> : <Body run={run} />}
      {run.isCut && <p className="xs muted">{text.cut}</p>}
      {run.problem !== null && <Failed problem={run.problem} onRetry={onSend} />}
    </>
  );
}

function Text({ run }: { readonly run: Run }): ReactElement {
  const plain = <p className="playground-text">{run.text}</p>;
  if (isRunning(run)) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={run.text} />
    </Suspense>
  );
}

function Body({ run: { api, httpMessages, status } }: { readonly run: Run }): ReactElement | null {
  if (httpMessages === null || httpMessages.receivedHeaders === null || status === 'failed') return null;
  return (
    <Suspense>
      <ReceivedBody api={api} httpMessages={httpMessages} />
    </Suspense>
  );
}
