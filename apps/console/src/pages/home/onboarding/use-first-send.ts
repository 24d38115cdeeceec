import { useCallback, useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../../../app';
import { sendRun, type Run } from '../../../gateway';
import type { FirstTarget } from './use-target';

/**
 * Sends the first request from this browser. Leaving the page cancels it. The run of another target
 * is not returned.
 */
export function useFirstSend(
  target: FirstTarget | null | undefined,
  onDone: () => void,
): { readonly run: Run | null; readonly send: () => void } {
  const { id: workspaceId } = useWorkspace();
  const [sent, setSent] = useState<{ readonly target: FirstTarget; readonly run: Run } | null>(null);
  const sending = useRef<AbortController>(undefined);
  useEffect(() => () => sending.current?.abort(), []);
  const send = useCallback(() => {
    if (target === null || target === undefined) return;
    sending.current?.abort();
    const controller = new AbortController();
    sending.current = controller;
    const body = {
      ...(target.model === '' ? {} : { model: target.model }),
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    };
    const request = {
      workspaceId,
      api: 'chat',
      headers: target.headers,
      body,
    } as const;
    const show = (next: Run): void => {
      if (sending.current === controller) setSent({ target, run: next });
    };
    void sendRun(request, controller.signal, show).then(({ status }) => {
      if (status === 'done' && sending.current === controller) onDone();
    });
  }, [workspaceId, target, onDone]);
  return { run: sent !== null && sent.target === target ? sent.run : null, send };
}
