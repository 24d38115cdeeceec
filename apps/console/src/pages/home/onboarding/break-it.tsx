import { Button, SegmentedControl } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { Can, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Badge } from '../../../ui/primitives';
import { Failed } from '../../../ui/states';
import { Waterfall } from '../../../ui/waterfall';
import { LogLink } from '../log-link';
import { breakIt, FAILURES, type FallbackRun, type Failure } from './fallback';

interface BreakItProps {
  /** Whether the workspace has the sandbox, which the step needs; null while unknown. */
  readonly hasSandbox: boolean | null;
  readonly onDone: () => void;
}

/**
 * Step 2 of the onboarding: sends a request whose first target fails in the chosen way, and shows
 * its waterfall.
 */
export function BreakIt({ hasSandbox, onDone }: BreakItProps): ReactElement {
  const { id: workspaceId } = useWorkspace();
  const [failure, setFailure] = useState<Failure>('503');
  const attempt = useMutation({
    mutationFn: (chosen: Failure) => breakIt(workspaceId, chosen),
    onSuccess: onDone,
  });
  if (hasSandbox === false) return <p className="sub">{home.broken.noSandbox}</p>;
  return (
    <>
      <div className="row home-wrap">
        <SegmentedControl
          aria-label={home.broken.how}
          value={failure}
          onChange={(value) => setFailure(value)}
          data={FAILURES.map((value) => ({ value, label: home.broken.failures[value] }))}
        />
        <Can operation="configs_create">
          <Button
            variant="filled"
            leftSection={<Icon name="bolt" size={14} />}
            loading={attempt.isPending}
            disabled={hasSandbox === null}
            onClick={() => attempt.mutate(failure)}
          >
            {home.broken.act}
          </Button>
        </Can>
        {attempt.data?.isAnswered === true && <Badge tone="ok">{home.broken.answered}</Badge>}
      </div>
      {attempt.isError && (
        <Failed problem={problemFrom(attempt.error)} onRetry={() => attempt.mutate(failure)} />
      )}
      {attempt.data !== undefined && <Story broken={attempt.data} />}
    </>
  );
}

function Story({ broken: { record, requestId } }: { readonly broken: FallbackRun }): ReactElement {
  return (
    <div className="col home-story">
      <Waterfall record={record} />
      <p className="xs sub">
        {home.broken.config} {requestId !== null && <LogLink id={requestId}>{home.broken.story}</LogLink>}
      </p>
    </div>
  );
}
