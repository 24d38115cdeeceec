import type { CallEnd, CallEvent, CallNotice } from './call-event';

/**
 * Yields the events of a call. `start` starts the call when the reader requests the first event;
 * its signal aborts when the reader stops. The bounds of a call also bound the events that a slow
 * reader has not read yet.
 */
export async function* callEvents(
  start: (signal: AbortSignal, onNotice: (notice: CallNotice) => void) => Promise<CallEnd>,
): AsyncGenerator<CallEvent, void> {
  const readerStopped = new AbortController();
  const waiting: CallEvent[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const push = (event: CallEvent): void => {
    waiting.push(event);
    wake();
  };
  const ended = start(readerStopped.signal, push).then(push);
  const over = (): void => {
    isOver = true;
    wake();
  };
  ended.then(over, over);
  try {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await ended;
  } finally {
    readerStopped.abort();
    await ended.catch(() => undefined);
  }
}
