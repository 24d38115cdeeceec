import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { Can, useWorkspace } from '../../../app';
import type { LogRow } from '../../../live';
import { logs } from '../../../messages/en/logs';
import { CopyButton } from '../../../ui/primitives';
import { handLogs, LOGS_MAX } from '../../playground/test-set/handed-logs';

const CompareDialog = lazy(async () => ({
  default: (await import('../marked/compare-dialog')).CompareDialog,
}));
const FeedbackDialog = lazy(async () => ({
  default: (await import('../marked/feedback-dialog')).FeedbackDialog,
}));

const text = logs.selection;
const COMPARED = 2;

interface Props {
  /** Marked rows, newest first. */
  readonly chosen: readonly LogRow[];
  readonly onClear: () => void;
}

/** Toolbar with actions on the marked rows; null when none is marked. */
export function SelectionBar({ chosen, onClear }: Props): ReactElement | null {
  const { id: workspaceId, slug: ws } = useWorkspace();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'compare' | 'feedback' | null>(null);
  if (chosen.length === 0) return null;
  const [one, other] = chosen;
  const ids = chosen.map(({ id }) => id);
  const isTooMany = ids.length > LOGS_MAX;
  const close = (): void => setOpen(null);
  const makeTestSet = (): void => {
    handLogs(workspaceId, ids);
    void navigate({ to: '/w/$ws/playground', params: { ws }, search: { view: 'tests' } });
  };
  return (
    <div className="logs-selection row" role="toolbar" aria-label={text.label}>
      <span className="num">{text.marked(ids.length)}</span>
      <Can operation="logs_get">
        <Button
          size="xs"
          title={text.compareHint}
          disabled={chosen.length !== COMPARED}
          onClick={() => setOpen('compare')}
        >
          {text.compare}
        </Button>
      </Can>
      <Can operation="feedback_create">
        <Button size="xs" onClick={() => setOpen('feedback')}>
          {text.feedback}
        </Button>
      </Can>
      <Can operation="logs_get">
        <Button
          size="xs"
          title={isTooMany ? text.testSetMax(LOGS_MAX) : text.testSetHint}
          disabled={isTooMany}
          onClick={makeTestSet}
        >
          {text.testSet}
        </Button>
      </Can>
      <CopyButton text={() => ids.join('\n')} label={text.copyIds} size="control" />
      <Button size="xs" onClick={onClear}>
        {text.clear}
      </Button>
      <Suspense>
        {open === 'compare' && one !== undefined && other !== undefined && (
          // The list is newest first; the comparison shows the older log on the left.
          <CompareDialog left={other} right={one} onClose={close} />
        )}
        {open === 'feedback' && <FeedbackDialog rows={chosen} onClose={close} />}
      </Suspense>
    </div>
  );
}
