import { useCallback, useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../../../app';
import { sendRun, type Run } from '../../../gateway';
import type { FirstTarget } from './use-target';

/** Sends the first request from this browser. Leaving the page cancels it. */
export function useFirstSend(
  target: FirstTarget | null | undefined,
  onDone: () => void,
): { readonly run: Run | null; readonly send: () => void } {
  const { id: workspaceId } = useWorkspace();
  const [run, setRun] = useState<Run | null>(null);
  const sending = useRef<AbortController>(undefined);
  useEffect(() => () => sending.current?.abort(), []);
  const send = useCallback(() => {
    if (target === null || target === undefined) return;
    sending.current?.abort();
    const controller = new AbortController();
    sending.current = controller;
    const body = {
      model: target.model,
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    };
    const request = {
      workspaceId,
      api: 'chat',
      headers: { 'x-gw-provider': target.provider },
      body,
    } as const;
    const show = (next: Run): void => {
      if (sending.current === controller) setRun(next);
    };
    void sendRun(request, controller.signal, show).then(({ status }) => {
      if (status === 'done' && sending.current === controller) onDone();
    });
  }, [workspaceId, target, onDone]);
  return { run, send };
}
