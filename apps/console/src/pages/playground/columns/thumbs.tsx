import { ActionIcon } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { call, problemFrom } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { playground as text } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { announce } from '../../../ui/primitives';

interface ThumbsProps {
  readonly traceId: string;
  readonly number: number;
}

const GOOD = 1;
const BAD = -1;

/**
 * Buttons that rate a response. The feedback is stored with its trace, for analytics and
 * guardrails.
 */
export function Thumbs({ traceId, number }: ThumbsProps): ReactElement | null {
  const { id: workspace_id } = useWorkspace();
  const can = useCan('feedback_create');
  const [given, setGiven] = useState<number | null>(null);
  if (!can) return null;
  const give = async (value: number): Promise<void> => {
    setGiven(value);
    try {
      await call('feedback_create', { query: { workspace_id } }, { body: { trace_id: traceId, value } });
      announce(text.rated);
    } catch (error) {
      setGiven(null);
      announce(problemFrom(error).message);
    }
  };
  const button = (value: number, label: string, icon: 'thumbUp' | 'thumbDown'): ReactElement => (
    <ActionIcon
      size="sm"
      aria-label={label}
      aria-pressed={given === value}
      disabled={given !== null && given !== value}
      onClick={() => given === null && void give(value)}
    >
      <Icon name={icon} size={14} />
    </ActionIcon>
  );
  return (
    <>
      {button(GOOD, text.good(number), 'thumbUp')}
      {button(BAD, text.bad(number), 'thumbDown')}
    </>
  );
}
