import { ActionIcon } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { call, problemFrom } from '../../../../api';
import { useCan, useWorkspace } from '../../../../app';
import { logDetail } from '../../../../messages/en/log-detail';
import { Icon } from '../../../../ui/icons/icon';
import type { LogDetail } from '../record';

const text = logDetail.why;

interface Props {
  readonly log: LogDetail;
  readonly guardrail: string;
  readonly stage: 'input' | 'output';
}

/**
 * Buttons that rate a verdict of a saved guardrail as right or wrong, for callers who may do so.
 */
export function VerdictMarks({ log, guardrail, stage }: Props): ReactElement | null {
  const { id } = useWorkspace();
  const may = useCan('guardrailQuality_feedback');
  const mark = useMutation({
    mutationFn: (isRight: boolean) =>
      call(
        'guardrailQuality_feedback',
        { path: { guardrail }, query: { workspace_id: id } },
        { body: { log_id: log.id, stage, mark: isRight ? 'true_positive' : 'false_positive' } },
      ),
  });
  if (!may) return null;
  return (
    <span className="row right">
      {mark.isError && <span className="xs tone-danger">{problemFrom(mark.error).message}</span>}
      {mark.isSuccess && <span className="xs muted">{text.marked}</span>}
      <ActionIcon size="xs" aria-label={text.right} title={text.right} onClick={() => mark.mutate(true)}>
        <Icon name="thumbUp" size={14} />
      </ActionIcon>
      <ActionIcon size="xs" aria-label={text.wrong} title={text.wrong} onClick={() => mark.mutate(false)}>
        <Icon name="thumbDown" size={14} />
      </ActionIcon>
    </span>
  );
}
