import type { LiveRow } from './row-buffer';
import type { TailSource, TailStream } from './tail';

/** Message of the leading tab, which has the stream, to the others. Each message contains complete events. */
type Message =
  | { readonly kind: 'hello' }
  /** `at`: the server's clock now, ISO 8601. */
  | { readonly kind: 'opened'; readonly at: string }
  | { readonly kind: 'events'; readonly text: string };

/** Parts of a browser by which its tabs share streams. */
export interface TabParts {
  readonly locks: Pick<LockManager, 'request'>;
  readonly channel: (name: string) => BroadcastChannel;
}

/** A tab that is this many messages behind opens its stream again, and lists what it missed. */
const BEHIND_MAX = 1_000;
const EVENT_END = '\n\n';

/** Null where a browser has no locks, as on plain http; each tab has a stream of its own there. */
const browserParts = (): TabParts | null =>
  typeof navigator !== 'undefined' && 'locks' in navigator
    ? { locks: navigator.locks, channel: (name) => new BroadcastChannel(name) }
    : null;

/**
 * One stream for all tabs of a browser with the same name: the tab that holds the lock of the name opens it, and sends its events to the
 * others. When that tab closes, or stops because it is hidden, another one opens the stream, and lists what came in between.
 */
export function sharedSource<R extends LiveRow>(
  source: TailSource<R>,
  name: string,
  parts: TabParts | null = browserParts(),
): TailSource<R> {
  if (parts === null) return source;
  return {
    open: (signal) => openShared(source, name, parts, signal),
    since: (time, signal) => source.since(time, signal),
  };
}

function openShared(
  source: Pick<TailSource<LiveRow>, 'open'>,
  name: string,
  parts: TabParts,
  signal: AbortSignal,
): Promise<TailStream> {
  return new Promise((resolve, reject) => {
    const withLock = async (lock: Lock | null): Promise<void> => {
      if (lock === null) {
        const reopen = () => openShared(source, name, parts, signal);
        followLeader(name, parts, signal, reopen).then(resolve, reject);
        return;
      }
      const { stream, ended } = await leadTabs(source, parts.channel(name), signal);
      resolve(stream);
      await ended;
    };
    parts.locks.request(name, { ifAvailable: true }, withLock).catch(reject);
  });
}

interface Led {
  readonly stream: TailStream;
  /** Resolves when the stream has ended, or is not read any more. */
  readonly ended: Promise<void>;
}

/** Opens the stream, and sends what is read of it to the other tabs. */
async function leadTabs(
  source: Pick<TailSource<LiveRow>, 'open'>,
  channel: BroadcastChannel,
  signal: AbortSignal,
): Promise<Led> {
  const opened = await source.open(signal).catch((error: unknown) => {
    channel.close();
    throw error;
  });
  const began = Date.now();
  const send = (message: Message): void => channel.postMessage(message);
  const sayOpened = (): void => {
    const now = Date.parse(opened.openedAt) + Date.now() - began;
    send({ kind: 'opened', at: new Date(now).toISOString() });
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') sayOpened();
  };
  sayOpened();
  let close: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    close = () => {
      channel.close();
      resolve();
    };
  });
  signal.addEventListener('abort', close);
  // It may have come while the stream was opened.
  if (signal.aborted) close();
  const reader = opened.stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) {
          close();
          controller.close();
          return;
        }
        rest += decoder.decode(value, { stream: true });
        const end = rest.lastIndexOf(EVENT_END);
        if (end >= 0 && !signal.aborted) {
          send({ kind: 'events', text: rest.slice(0, end + EVENT_END.length) });
          rest = rest.slice(end + EVENT_END.length);
        }
        controller.enqueue(value);
      } catch (error) {
        close();
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      close();
      await reader.cancel(reason);
    },
  });
  return { stream: { stream, openedAt: opened.openedAt }, ended };
}

/**
 * Follows the leading tab: returns a stream of the events that it sends, which ends when that tab gives up the lock. If that happens
 * before the first `opened` message, calls `reopen`.
 */
function followLeader(
  name: string,
  { locks, channel: channelOf }: TabParts,
  signal: AbortSignal,
  reopen: () => Promise<TailStream>,
): Promise<TailStream> {
  const channel = channelOf(name);
  const waiting = new AbortController();
  const encoder = new TextEncoder();
  let isOpen = false;
  return new Promise((resolve, reject) => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const leave = (): void => {
        channel.onmessage = null;
        channel.close();
        waiting.abort();
      };
      const fail = (error: unknown): void => {
        leave();
        controller.error(error);
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      channel.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.kind === 'opened') {
          isOpen = true;
          resolve({ stream, openedAt: data.at });
        } else if (data.kind === 'events' && (controller.desiredSize ?? 0) <= 0)
          fail(new Error('This tab is behind.'));
        else if (data.kind === 'events') controller.enqueue(encoder.encode(data.text));
      };
      // A signal that is aborted already fires no event.
      if (signal.aborted) return fail(signal.reason);
      signal.addEventListener('abort', () => fail(signal.reason));
      // Runs when this tab was granted the lock, which it releases at once so that the next `open` can take it.
      const takeOver = (): void => {
        leave();
        if (signal.aborted) return;
        controller.close();
        // The reader of an open stream opens the next one.
        if (!isOpen) resolve(reopen());
      };
      locks.request(name, { signal: waiting.signal }, () => undefined).then(takeOver, () => undefined);
      channel.postMessage({ kind: 'hello' } satisfies Message);
    };
    const stream = new ReadableStream<Uint8Array>(
      { start },
      new CountQueuingStrategy({ highWaterMark: BEHIND_MAX }),
    );
  });
}
