import type { LiveRow } from './row-buffer';
import type { TailSource, TailStream } from './tail';

/**
 * Message of the leading tab, which has the stream, to the others. Each message contains complete
 * events.
 */
type Message =
  | { readonly kind: 'hello' }
  /** `at`: the server's clock now, ISO 8601. */
  | { readonly kind: 'opened'; readonly at: string }
  | { readonly kind: 'events'; readonly text: string };

/** Browser APIs with which tabs share a stream. */
export interface TabParts {
  readonly locks: Pick<LockManager, 'request'>;
  readonly channel: (name: string) => BroadcastChannel;
}

/**
 * Messages that a tab may lag behind; a tab that lags further reopens its stream and lists what it
 * missed.
 */
const BEHIND_MAX = 1_000;
const EVENT_END = '\n\n';

/**
 * The browser's APIs; null without the Web Locks API (for example on plain HTTP), where each tab
 * opens its own stream.
 */
const browserParts = (): TabParts | null =>
  typeof navigator !== 'undefined' && 'locks' in navigator
    ? { locks: navigator.locks, channel: (name) => new BroadcastChannel(name) }
    : null;

/**
 * Shares one stream between the tabs of a browser that use the same `name`. The tab that holds the
 * lock of that name opens the stream and sends its events to the other tabs. When that tab closes,
 * or is hidden for long, another tab opens the stream and lists what was stored in between.
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

interface LeadingStream {
  readonly stream: TailStream;
  /** Resolves when the stream has ended or its reader has cancelled it. */
  readonly ended: Promise<void>;
}

/** Opens the stream and sends each event that is read from it to the other tabs. */
async function leadTabs(
  source: Pick<TailSource<LiveRow>, 'open'>,
  channel: BroadcastChannel,
  signal: AbortSignal,
): Promise<LeadingStream> {
  const opened = await source.open(signal).catch((error: unknown) => {
    channel.close();
    throw error;
  });
  const began = Date.now();
  const send = (message: Message): void => channel.postMessage(message);
  const announceOpened = (): void => {
    const now = Date.parse(opened.openedAt) + Date.now() - began;
    send({ kind: 'opened', at: new Date(now).toISOString() });
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') announceOpened();
  };
  announceOpened();
  let close: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    close = () => {
      signal.removeEventListener('abort', close);
      channel.close();
      resolve();
    };
  });
  signal.addEventListener('abort', close);
  // The signal may have aborted while the stream was being opened.
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
 * Follows the leading tab: resolves to a stream of the events that it sends. The stream ends when
 * that tab releases the lock. Calls `reopen` if that happens before the first `opened` message.
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
      const unfollow = (): void => {
        channel.onmessage = null;
        channel.close();
        waiting.abort();
      };
      const fail = (error: unknown): void => {
        unfollow();
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
      // A signal that is already aborted fires no event.
      if (signal.aborted) return fail(signal.reason);
      signal.addEventListener('abort', () => fail(signal.reason), { signal: waiting.signal });
      // Runs when this tab receives the lock. The tab releases it immediately, so that the next
      // `open` can acquire it.
      const takeOver = (): void => {
        unfollow();
        if (signal.aborted) return;
        controller.close();
        // When the stream was open, its reader opens the next one.
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
