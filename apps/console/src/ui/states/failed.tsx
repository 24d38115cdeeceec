import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';
import { CopyButton } from '../primitives/copy';

/** Error of a failed call. `message` is shown unchanged. */
export interface ShownProblem {
  readonly message: string;
  readonly type?: string | null | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | null | undefined;
  /** Seconds of `Retry-After`, which the view counts down before it retries automatically. */
  readonly retryAfterS?: number | null | undefined;
}

export interface FailedProps {
  readonly problem: ShownProblem;
  readonly onRetry?: () => void;
}

/** Error state of a view without data: message, error type, request id, and a retry button. */
export function Failed({ problem, onRetry }: FailedProps): ReactElement {
  const { message, type, status, requestId, retryAfterS } = problem;
  const left = useCountdown(retryAfterS ?? null, problem, onRetry);
  return (
    <div className="state state-failed" role="alert">
      <Icon name="warning" size={20} />
      <p className="state-title">{message}</p>
      <p className="row xs muted state-facts">
        {status === undefined || status === 0 ? null : <span className="num">{status}</span>}
        {type === undefined || type === null ? null : <code>{type}</code>}
        {requestId === undefined || requestId === null ? null : (
          <>
            <code>{requestId}</code>
            <CopyButton text={requestId} what={uiText.states.requestId} />
          </>
        )}
      </p>
      {onRetry === undefined ? null : (
        <Button size="xs" onClick={onRetry} leftSection={<Icon name="refresh" size={14} />}>
          {left === null ? uiText.states.retry : uiText.states.retryIn(left)}
        </Button>
      )}
    </div>
  );
}

/** Seconds until the automatic retry; null when none is planned. */
function useCountdown(
  seconds: number | null,
  problem: ShownProblem,
  onEnd: (() => void) | undefined,
): number | null {
  const [left, setLeft] = useState(seconds);
  const [shown, setShown] = useState(problem);
  if (shown !== problem) {
    setShown(problem);
    setLeft(seconds);
  }
  // A new function at each render must not start the second again.
  const latest = useRef(onEnd);
  useEffect(() => {
    latest.current = onEnd;
  });
  const isPlanned = onEnd !== undefined;
  useEffect(() => {
    if (left === null || !isPlanned) return undefined;
    const timer = setTimeout(() => {
      setLeft(left > 1 ? left - 1 : null);
      if (left <= 1) latest.current?.();
    }, 1000);
    return () => clearTimeout(timer);
  }, [left, isPlanned]);
  return left;
}
