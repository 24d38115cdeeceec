import type { CallEnd, CallEvent, CallNotice } from './call-event';

/**
 * The events of a call as a stream. `start` begins the call when the reader asks for the first event; its
 * signal aborts when the reader leaves. What a slow reader has not read is bounded by the bounds of a call.
 */
export async function* callEvents(
  start: (signal: AbortSignal, onNotice: (notice: CallNotice) => void) => Promise<CallEnd>,
): AsyncGenerator<CallEvent, void> {
  const left = new AbortController();
  const waiting: CallEvent[] = [];
  let [isOver, failure]: [boolean, unknown] = [false, null];
  let wake = (): void => undefined;
  const push = (event: CallEvent): void => {
    waiting.push(event);
    wake();
  };
  const ended = start(left.signal, push)
    .then(push, (error: unknown) => (failure = error))
    .then(() => {
      isOver = true;
      wake();
    });
  try {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    if (failure !== null) throw failure;
  } finally {
    left.abort();
    await ended;
  }
}
