import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { call, problemFrom, type ResponseOf, type Problem } from '../../api';
import { audit } from '../../messages';
import { count } from '../../ui/format';
import { Badge, CopyButton } from '../../ui/primitives';

type Verification = ResponseOf<'auditLogs_verify'>;

/** Verifies the audit chain in parts, and shows where it ends or breaks. Leaving the page stops it. */
export function Chain(): ReactElement {
  const [checked, setChecked] = useState<number | null>(null);
  const [ended, setEnded] = useState<Verification | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const verify = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setEnded(null);
    setProblem(null);
    setChecked(0);
    try {
      let next: number | null = 1;
      let sum = 0;
      while (next !== null && !signal.aborted) {
        const { data }: { data: Verification } = await call(
          'auditLogs_verify',
          { query: { from_sequence: next } },
          { signal },
        );
        sum += data.checked;
        setChecked(sum);
        next = data.valid ? data.next_sequence : null;
        if (next === null) setEnded(data);
      }
    } catch (error) {
      if (!signal.aborted) setProblem(problemFrom(error));
    } finally {
      setChecked(null);
    }
  };
  return (
    <span className="row" aria-live="polite">
      {checked !== null && <span className="sub xs">{audit.verifying(count(checked))}</span>}
      {problem !== null && <Badge tone="danger">{problem.message}</Badge>}
      {ended === null ? null : ended.valid ? (
        <>
          <Badge tone="ok" icon="shieldCheck" title={audit.wholeHint}>
            {audit.whole(count(ended.head.sequence))}
          </Badge>
          <CopyButton text={ended.head.hash} what={audit.copyHash} />
        </>
      ) : (
        <Badge tone="danger" icon="warning">
          {audit.broken(count(ended.broken_at))}
        </Badge>
      )}
      <Button loading={checked !== null} onClick={() => void verify()}>
        {audit.verify}
      </Button>
    </span>
  );
}
